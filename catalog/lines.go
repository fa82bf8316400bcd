package catalog

import (
	"bytes"
	"context"
	"errors"
	"io"
)

const (
	// headSize is read first. It holds most headers, and of a file of another
	// project nothing more is read.
	headSize = 8 << 10
	// blockSize is read at a time after that. It stays in the processor's cache
	// until its lines were looked at.
	blockSize = 256 << 10
	// keptSize is up to which a buffer that a long line made large is kept.
	keptSize = 4 << 20
)

// errEnough is what a line's taker returns to end the reading.
var errEnough = errors.New("enough was read")

// A lineReader reads files line by line through one buffer.
type lineReader struct {
	buf   []byte
	total int64 // up to where the last file was read
}

// A taker is called for a line, without its end and with the offset of its first
// byte. The line's bytes are valid during the call. An error ends the reading.
type taker func(line []byte, off int64) error

// each calls take for every line of r, whose first byte has the given offset in
// its file, and last for what is behind the last line end, if there is anything:
// a line that is being written, or was torn. It returns the error of a taker.
// Lines end with LF alone (pitfall 8).
func (l *lineReader) each(ctx context.Context, r io.Reader, offset int64, take, last taker) error {
	if cap(l.buf) > keptSize || l.buf == nil {
		l.buf = make([]byte, blockSize)
	}
	l.total = offset
	from, have := 0, 0 // buf[from:have] was read and not taken
	for fill := headSize; ; fill = len(l.buf) {
		n, err := r.Read(l.buf[have:fill])
		l.total += int64(n)
		searched := have // there is no LF in buf[from:searched]
		have += n
		for {
			i := bytes.IndexByte(l.buf[searched:have], '\n')
			if i < 0 {
				break
			}
			end := searched + i
			if err := take(l.buf[from:end:end], l.total-int64(have-from)); err != nil {
				return err
			}
			from, searched = end+1, end+1
		}
		switch {
		case err == io.EOF && from < have:
			return last(l.buf[from:have:have], l.total-int64(have-from))
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		have = copy(l.buf, l.buf[from:have])
		from = 0
		if have == len(l.buf) {
			l.buf = append(l.buf, make([]byte, len(l.buf))...) // a long line
		}
	}
}
