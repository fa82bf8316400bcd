package sessiondir

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"sync"
	"time"
)

// NewSessionID returns a version 7 UUID: time-ordered, and increasing within a
// process even if many are made in one millisecond.
func NewSessionID(now time.Time) string {
	ms, seq := ticks.next(now.UnixMilli())
	var u [16]byte
	fill(u[8:])
	binary.BigEndian.PutUint64(u[:8], uint64(ms)<<16|0x7000|uint64(seq&0xfff))
	u[8] = u[8]&0x3f | 0x80
	x := hex.EncodeToString(u[:])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}

var ticks ticker

// A ticker returns pairs of millisecond and counter that never decrease.
type ticker struct {
	mu  sync.Mutex
	ms  int64
	seq uint16
}

func (t *ticker) next(ms int64) (int64, uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const jump = 10_000 // a clock that goes back further was reset
	switch {
	case ms > t.ms || ms < t.ms-jump:
		var b [2]byte
		fill(b[:])
		t.ms, t.seq = ms, binary.BigEndian.Uint16(b[:])&0x7ff // the upper half is room for counting
	case t.seq == 0xfff:
		t.ms, t.seq = t.ms+1, 0
	default:
		t.seq++
	}
	return t.ms, t.seq
}

// NewEntryID returns the id of a new entry: eight hexadecimal digits as in pi,
// or more in the unlikely case that none of those is free.
func NewEntryID(taken func(id string) bool) string {
	var b [16]byte
	for range 100 {
		fill(b[:4])
		if id := hex.EncodeToString(b[:4]); !taken(id) {
			return id
		}
	}
	fill(b[:])
	return hex.EncodeToString(b[:])
}

// fill never fails: crypto/rand ends the process if the system has no
// randomness.
func fill(b []byte) { _, _ = rand.Read(b) }
