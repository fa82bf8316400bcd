package doctor

import (
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A patched presents a log with a few parts changed. Unchanged parts are read from
// the log itself, so that an edited log needs memory only for its edits. It
// never writes to the log below. It is built from front to back with Keep, Put
// and Replace, and then read. Reading is safe for concurrent use once it is
// built.
type patched struct {
	below  io.ReaderAt
	pieces []piece
	added  []byte // the bytes that are not from the log below
	length int64
}

// newPatched returns an empty overlay of a log.
func newPatched(below io.ReaderAt) *patched { return &patched{below: below} }

// Size returns the length of the result.
func (p *patched) Size() int64 { return p.length }

// A piece is a part of the result. It ends where the next one starts.
type piece struct {
	at   int64 // offset in the result
	from int64 // offset in the log, or ^offset in added
}

// Keep adds a part of the log to the result.
func (p *patched) Keep(from, to int64) {
	if to <= from {
		return
	}
	if n := len(p.pieces); n == 0 || p.pieces[n-1].from < 0 || p.pieces[n-1].from+p.length-p.pieces[n-1].at != from {
		p.pieces = append(p.pieces, piece{p.length, from})
	}
	p.length += to - from
}

// Put adds new bytes to the result.
func (p *patched) Put(b []byte) {
	if len(b) == 0 {
		return
	}
	if n := len(p.pieces); n == 0 || p.pieces[n-1].from >= 0 {
		p.pieces = append(p.pieces, piece{p.length, ^int64(len(p.added))})
	}
	p.added = append(p.added, b...)
	p.length += int64(len(b))
}

// Replace replaces a line of the log. Only the differing part is stored in
// memory.
func (p *patched) Replace(from int64, old, line []byte) {
	head := 0
	for head < len(old) && head < len(line) && old[head] == line[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(line)-head && old[len(old)-1-tail] == line[len(line)-1-tail] {
		tail++
	}
	p.Keep(from, from+int64(head))
	p.Put(line[head : len(line)-tail])
	p.Keep(from+int64(len(old)-tail), from+int64(len(old)))
}

// Below returns the offset in the log below from which the byte at off comes;
// for an added byte, the offset at which it was inserted.
func (p *patched) Below(off int64) int64 {
	i := sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].at > off }) - 1
	if i < 0 {
		return 0
	}
	if from := p.pieces[i].from; from >= 0 {
		return from + off - p.pieces[i].at
	}
	if i == 0 {
		return 0
	}
	before := p.pieces[i-1] // pieces of the log and added ones alternate
	return before.from + p.pieces[i].at - before.at
}

// mostGaps is how many bytes between the pieces of a result are read with them.
const mostGaps = 1 << 20

// ReadAt implements io.ReaderAt. It reads the log once, however many pieces the
// bytes asked for are made of, unless they are far apart.
func (p *patched) ReadAt(b []byte, off int64) (int, error) {
	if off >= p.length {
		return 0, io.EOF
	}
	end := min(off+int64(len(b)), p.length)
	first := sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].at > off }) - 1
	low, high := p.stretch(first, off, end)
	if gaps := high - low - (end - off); gaps > mostGaps {
		_, stop := p.bounds(first, off, end)
		n, err := p.ReadAt(b[:stop-off], off)
		if err != nil {
			return n, err
		}
		more, err := p.ReadAt(b[n:], stop)
		return n + more, err
	}
	log := make([]byte, high-low)
	if n, err := p.below.ReadAt(log, low); n < len(log) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, fmt.Errorf("read at byte %d: %w", low, err)
	}
	n := 0
	for i := first; off < end; i++ {
		at, stop := p.bounds(i, off, end)
		source, from := log, at-low
		if p.pieces[i].from < 0 {
			source, from = p.added, at
		}
		n += copy(b[n:], source[from:from+stop-off])
		off = stop
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// NextData returns the first offset from off on that may not be in a hole of the log
// below, at most to.
func (p *patched) NextData(off, to int64) int64 {
	i := sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].at > off }) - 1
	if off >= p.length || p.pieces[i].from < 0 {
		return off
	}
	at, stop := p.bounds(i, off, min(to, p.length))
	return off + jsonl.NextData(p.below, at, at+stop-off) - at
}

// bounds returns the position in its source of the byte at off, which is in piece
// i, and the end of the piece or of the request in the result.
func (p *patched) bounds(i int, off, end int64) (at, stop int64) {
	stop = end
	if i+1 < len(p.pieces) {
		stop = min(end, p.pieces[i+1].at)
	}
	from := p.pieces[i].from
	if from < 0 {
		from = ^from
	}
	return from + off - p.pieces[i].at, stop
}

// stretch returns the part of the log that is needed for [off, end) of the
// result.
func (p *patched) stretch(first int, off, end int64) (low, high int64) {
	low = -1
	for i := first; off < end; i++ {
		at, stop := p.bounds(i, off, end)
		if p.pieces[i].from >= 0 {
			if low < 0 {
				low = at
			}
			high = at + stop - off
		}
		off = stop
	}
	return max(low, 0), high
}

// WriteTo implements io.WriterTo.
func (p *patched) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(w, io.NewSectionReader(p, 0, p.length), make([]byte, 1<<18))
}
