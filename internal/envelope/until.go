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
	return until{ctx, r}
}

type until struct {
	ctx context.Context
	r   io.ReaderAt
}

func (u until) ReadAt(p []byte, off int64) (int, error) {
	if slow, ok := u.r.(store.ContextReader); ok {
		return slow.ReadAtContext(u.ctx, p, off)
	}
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.ReadAt(p, off)
}

func (u until) NextData(off, to int64) int64 { return NextData(u.r, off, to) }
