package replica

import (
	"context"
	"io"
	"strings"

	"github.com/pith-sessions/pith/store"
)

// content is the plaintext of a log, encrypted or not.
type content interface {
	io.ReaderAt
	Size(ctx context.Context) (int64, error)
	// Append adds bytes if the content is at bytes long. Otherwise the error is
	// a *store.ConflictError.
	Append(ctx context.Context, at int64, p []byte) (int64, error)
	Close() error
}

// Suffixes of encrypted logs.
const (
	sealedMark = ".age2"
	// unboundMark is the suffix of logs of an earlier format, whose parts were
	// encrypted but not bound to their positions. They are only read.
	unboundMark = ".age"
)

func (t *Team) open(ctx context.Context, name string) (content, error) {
	bound, unbound := strings.HasSuffix(name, sealedMark), strings.HasSuffix(name, unboundMark)
	if (bound || unbound) && t.Key == nil {
		return nil, ErrSealed
	}
	l, err := t.store.Open(ctx, name)
	if err != nil || !bound && !unbound {
		return l, err
	}
	return openSealed(ctx, l, name, t.Key, bound)
}

func (t *Team) create(ctx context.Context, name string, p []byte) (content, error) {
	if !strings.HasSuffix(name, sealedMark) {
		return t.store.Create(ctx, name, store.Bytes(p))
	}
	frame, _, err := t.Key.seal(name, 0, "", p)
	if err != nil {
		return nil, err
	}
	l, err := t.store.Create(ctx, name, store.Bytes(frame))
	if err != nil {
		return nil, err
	}
	return openSealed(ctx, l, name, t.Key, true)
}

// replace replaces the log of a journal with p, if the log has not changed
// since it was read.
func (t *Team) replace(ctx context.Context, c content, j *journal, p []byte) (store.Log, error) {
	have, err := c.Size(ctx)
	if err != nil {
		return nil, err
	}
	if have != j.size {
		return nil, &store.ConflictError{Name: j.name, Want: j.size, Have: have}
	}
	s, ok := c.(*sealed)
	if !ok {
		return t.store.Replace(ctx, c.(store.Log), have, store.Bytes(p), "")
	}
	frame, _, err := t.Key.seal(j.name, 0, "", p)
	if err != nil {
		return nil, err
	}
	return t.store.Replace(ctx, s.log, s.end, store.Bytes(frame), "")
}
