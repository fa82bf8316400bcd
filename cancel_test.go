package pith_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/store"
)

// A largeStore keeps one session of 1 GB, which is made as it is read. It cancels
// once some of it was read, and counts what is read after that.
type largeStore struct {
	store.Store
	cancel     func()
	reads      atomic.Int64
	readsAfter atomic.Int64
}

const largeSize = 1 << 30

func (s *largeStore) Open(context.Context, string) (store.Log, error) { return &largeLog{s: s}, nil }

type largeLog struct {
	store.Log
	s *largeStore
}

func (l *largeLog) Size(ctx context.Context) (int64, error) { return largeSize, nil }
func (l *largeLog) Close() error                            { return nil }

// ReadAt gives a header and then the same line again and again.
func (l *largeLog) ReadAt(p []byte, off int64) (int, error) {
	switch n := l.s.reads.Add(1); {
	case n == 3:
		l.s.cancel()
	case n > 3:
		l.s.readsAfter.Add(1)
	}
	body := []byte(line("aaaaaaaa", "aaaaaaaa", "user", string(bytes.Repeat([]byte("x"), 400))))
	for i := range p {
		at := off + int64(i)
		switch {
		case at >= largeSize:
			return i, io.EOF
		case at < int64(len(head)):
			p[i] = head[at]
		default:
			p[i] = body[(at-int64(len(head)))%int64(len(body))]
		}
	}
	return len(p), nil
}

// A canceled open of 1 GB ends after a few more reads, however many would have
// been needed.
func TestOpeningIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	large := &largeStore{cancel: cancel}
	_, err := pith.Open(ctx, "/large.jsonl", pith.Options{Store: large})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Open = %v after %d reads, want %v", err, large.reads.Load(), context.Canceled)
	}
	if n := large.readsAfter.Load(); n > 32 {
		t.Errorf("%d reads after the cancelling, want a few", n)
	}
}
