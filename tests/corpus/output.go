package corpus

import "io"

// flushAt is the number of bytes that an output buffers.
const flushAt = 256 << 10

// An output buffers lines and writes them in large pieces. After an error it
// discards them.
type output struct {
	w     io.Writer
	buf   []byte
	size  int64 // bytes of all ended lines
	start int   // of the current line in buf
	err   error
}

// lineLength returns the current length of the unfinished line.
func (o *output) lineLength() int { return len(o.buf) - o.start }

// endLine closes the line's object and ends the line.
func (o *output) endLine() {
	o.buf = append(o.buf, '}', '\n')
	o.size += int64(o.lineLength())
	o.start = len(o.buf)
	if len(o.buf) >= flushAt {
		o.flush()
	}
}

func (o *output) flush() {
	if o.err == nil {
		_, o.err = o.w.Write(o.buf)
	}
	o.buf = o.buf[:0]
	o.start = 0
}

func (o *output) text(s string)     { o.buf = append(o.buf, s...) }
func (o *output) quoted(s string)   { o.buf = appendString(o.buf, s) }
func (o *output) int(n int64)       { o.buf = appendInt(o.buf, n) }
func (o *output) cost(d float64)    { o.buf = appendCost(o.buf, d) }
func (o *output) time(ms int64)     { o.buf = appendTime(o.buf, ms) }
func (o *output) id(id entryID)     { o.buf = appendID(o.buf, id, true) }
func (o *output) parent(p position) { o.buf = appendID(o.buf, p.id, p.exists) }

// A position is an entry, or the position before the first one.
type position struct {
	id     entryID
	exists bool
}
