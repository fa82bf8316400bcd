package envelope

import (
	"context"
	"io"

	"github.com/pith-sessions/pith/store"
)

// Until returns a reader that fails with the error of ctx once ctx is done. It
// is meant for long reads and must not outlive the call that has the context.
func Until(ctx context.Context, r io.ReaderAt) io.ReaderAt {
	if ctx.Done() == nil {
		return r
	}
	if slow, ok := r.(store.ContextReader); ok {
		return readerFunc(func(p []byte, off int64) (int, error) { return slow.ReadAtContext(ctx, p, off) })
	}
	return readerFunc(func(p []byte, off int64) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.ReadAt(p, off)
	})
}

type readerFunc func(p []byte, off int64) (int, error)

func (f readerFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }
