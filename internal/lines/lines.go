// Package lines reads the lines of a file one after the other through one
// buffer, for those who look at every line and keep nothing of most.
//
// It knows nothing of what a line means and judges none. Memory does not grow
// with the file, only with its longest line.
package lines

import (
	"bytes"
	"context"
	"io"
	"os"
)

const (
	// blockSize is read at a time. It stays in the processor's cache until its
	// lines were looked at.
	blockSize = 256 << 10
	// keptSize is up to which a buffer that a long line made large is kept.
	keptSize = 4 << 20
)

// A Reader reads one file after the other. The zero value is ready for use, by
// one goroutine at a time.
type Reader struct{ buf []byte }

// File calls take for every line of a file, in order, with its end where it has
// one: the last line may have none, because it is torn or being written. The
// bytes are valid during the call. Lines end with LF alone. The result is how
// many bytes were read.
func (r *Reader) File(ctx context.Context, path string, take func(line []byte)) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return r.each(ctx, f, take)
}

func (r *Reader) each(ctx context.Context, in io.Reader, take func(line []byte)) (total int64, err error) {
	if r.buf == nil || cap(r.buf) > keptSize {
		r.buf = make([]byte, blockSize)
	}
	from, have := 0, 0 // buf[from:have] was read and not taken
	for {
		n, err := in.Read(r.buf[have:])
		total += int64(n)
		searched := have // there is no LF in buf[from:searched]
		have += n
		for {
			i := bytes.IndexByte(r.buf[searched:have], '\n')
			if i < 0 {
				break
			}
			end := searched + i + 1
			take(r.buf[from:end:end])
			from, searched = end, end
		}
		switch {
		case err == io.EOF:
			if from < have {
				take(r.buf[from:have:have])
			}
			return total, nil
		case err != nil:
			return total, err
		case ctx.Err() != nil:
			return total, ctx.Err()
		}
		have = copy(r.buf, r.buf[from:have])
		from = 0
		if have == len(r.buf) {
			r.buf = append(r.buf, make([]byte, len(r.buf))...) // a long line
		}
	}
}
