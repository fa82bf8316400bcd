package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
)

// ReadFull fills p with the bytes of r at off, and returns the number of bytes
// read. Fewer bytes than requested are an error, also at the end of the log:
// its size promised them, so it was truncated meanwhile.
func ReadFull(r io.ReaderAt, p []byte, off int64) (int, error) {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return n, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, fmt.Errorf("read at byte %d: %w", off+int64(n), err)
}

// Until returns a reader that fails with the error of ctx once ctx is done. It
// is meant for long reads and must not outlive the call that has the context.
func Until(ctx context.Context, r io.ReaderAt) io.ReaderAt {
	if ctx.Done() == nil {
		return r
	}
	return until{ctx, r}
}

type until struct {
	ctx context.Context
	r   io.ReaderAt
}

func (u until) ReadAt(p []byte, off int64) (int, error) {
	slow, ok := u.r.(interface { // a store.ContextReader
		ReadAtContext(ctx context.Context, p []byte, off int64) (int, error)
	})
	if ok {
		return slow.ReadAtContext(u.ctx, p, off)
	}
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.ReadAt(p, off)
}

func (u until) NextData(off, to int64) int64 { return NextData(u.r, off, to) }

// A Holed reads a file without its holes, for callers that ignore NUL bytes: of
// many in a row one is kept. It ends with its context.
type Holed struct {
	ctx  context.Context
	file io.ReaderAt
	at   int64
}

// NewHoled returns a reader of a file from its start.
func NewHoled(ctx context.Context, file io.ReaderAt) *Holed { return &Holed{ctx: ctx, file: file} }

// Read implements io.Reader.
func (h *Holed) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	h.at = NextData(h.file, h.at, math.MaxInt64)
	n, err := h.file.ReadAt(p, h.at)
	h.at += int64(n)
	if n > 1 && len(bytes.TrimLeft(p[:n], "\x00")) == 0 {
		n = 1
	}
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}
