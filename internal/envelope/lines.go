package envelope

import (
	"bytes"
	"context"
	"io"
	"os"
)

const (
	// headSize is read first: of a file in which the first line decides, no more
	// is read.
	headSize = 8 << 10
	// keptSize is up to which a buffer that a long line made large is kept.
	keptSize = 4 << 20
)

// Lines reads the lines of files one after the other through one buffer, for those
// who look at every line and keep nothing of most. Memory does not grow with the
// file, only with its longest line. The zero value is ready for use, by one
// goroutine at a time.
type Lines struct{ buf []byte }

// File calls take for every line of a file, under the terms of Each. The result
// is how many bytes were read.
func (r *Lines) File(ctx context.Context, path string, take func(line []byte)) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return r.Each(ctx, f, 0, func(line []byte, _ int64) error { take(line); return nil })
}

// Each calls take for every line of in, whose first byte has the given offset in
// its file, in order, with its end where it has one: the last line may have none,
// because it is torn or being written. at is where the line begins; its bytes are
// valid during the call. Lines end with LF alone. An error of take ends the
// reading and is returned. end is up to where the file was read.
func (r *Lines) Each(ctx context.Context, in io.Reader, offset int64, take func(line []byte, at int64) error) (end int64, err error) {
	if r.buf == nil || cap(r.buf) > keptSize {
		r.buf = make([]byte, blockSize)
	}
	end = offset
	from, have := 0, 0 // buf[from:have] was read and not taken
	for fill := headSize; ; fill = len(r.buf) {
		n, err := in.Read(r.buf[have:fill])
		end += int64(n)
		searched := have // there is no LF in buf[from:searched]
		have += n
		for {
			i := bytes.IndexByte(r.buf[searched:have], '\n')
			if i < 0 {
				break
			}
			next := searched + i + 1
			if err := take(r.buf[from:next:next], end-int64(have-from)); err != nil {
				return end, err
			}
			from, searched = next, next
		}
		switch {
		case err == io.EOF && from < have:
			return end, take(r.buf[from:have:have], end-int64(have-from))
		case err == io.EOF:
			return end, nil
		case err != nil:
			return end, err
		case ctx.Err() != nil:
			return end, ctx.Err()
		}
		have = copy(r.buf, r.buf[from:have])
		from = 0
		if have == len(r.buf) {
			r.buf = append(r.buf, make([]byte, len(r.buf))...) // a long line
		}
	}
}
