package corpus

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"time"
)

// Options describe a session. The zero value is a short session of about 100
// entries.
type Options struct {
	// Seed selects the content. Sessions with different seeds have different
	// IDs.
	Seed uint64
	// Entries is the exact number of lines after the header. Zero means as many
	// as Bytes allows.
	Entries int
	// Bytes ends the session with the turn that reaches this size. Zero means
	// as many as Entries needs.
	Bytes int64

	// Cwd is the project. Zero means /home/dev/app.
	Cwd string
	// ID is the session's ID. Zero means a UUIDv7 of Start and Seed.
	ID string
	// Start is the header's time. Zero means 2025-12-08 22:41 UTC.
	Start time.Time
	// ParentSession is the header's parent. Zero means none.
	ParentSession string
	// Name is the display name. Zero means that the session has none.
	Name string

	// Branches is the number of times that the conversation goes back and
	// abandons a branch, every second time with a branch summary. A session
	// with few turns has fewer.
	Branches int
	// CompactEvery is about the number of entries between compactions. Zero
	// means none.
	CompactEvery int
	// Labels is the number of labeled entries.
	Labels int
	// Images adds an image to some of the user messages.
	Images bool
}

// defaultEntries is the default length of a session.
const defaultEntries = 100

// meanLine is about the average length of a line.
const meanLine = 1923

func (o Options) withDefaults() Options {
	if o.Entries == 0 && o.Bytes == 0 {
		o.Entries = defaultEntries
	}
	if o.Cwd == "" {
		o.Cwd = "/home/dev/app"
	}
	if o.Start.IsZero() {
		o.Start = time.Date(2025, 12, 8, 22, 41, 5, 306e6, time.UTC)
	}
	if o.ID == "" {
		o.ID = uuid7(o.Start, mix64(o.Seed), mix64(^o.Seed))
	}
	return o
}

// expectedEntries returns about the number of entries that the session will
// have.
func (o Options) expectedEntries() int {
	n := o.Entries
	if o.Bytes > 0 && (n == 0 || int64(n) > o.Bytes/meanLine) {
		n = int(o.Bytes / meanLine)
	}
	return max(n, 1)
}

// Session writes the session file that o describes. It writes in large pieces;
// w needs no buffer. The error is that of w.
func Session(w io.Writer, o Options) error {
	o = o.withDefaults()
	g := newGenerator(w, o)
	g.header()
	g.settings()
	for g.room() > 0 {
		g.between()
		g.turn()
	}
	g.out.flush()
	if g.out.err != nil {
		return fmt.Errorf("write session %s: %w", o.ID, g.out.err)
	}
	return nil
}

// Bytes returns the session file that o describes.
func Bytes(o Options) []byte {
	var b bytes.Buffer
	if o.Bytes > 0 {
		b.Grow(int(min(o.Bytes+o.Bytes/8, math.MaxInt32)))
	}
	_ = Session(&b, o) // A bytes.Buffer takes every write.
	return b.Bytes()
}

// uuid7 returns a version 7 UUID from a time and two random numbers.
func uuid7(at time.Time, high, low uint64) string {
	ms := uint64(at.UnixMilli())
	return fmt.Sprintf("%08x-%04x-7%03x-%04x-%012x",
		ms>>16&0xffffffff, ms&0xffff, high&0xfff, 0x8000|low>>48&0x3fff, low&0xffffffffffff)
}
