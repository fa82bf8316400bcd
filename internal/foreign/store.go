package foreign

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/pith-sessions/pith/store"
)

// StampOf returns a value that changes with a file, or with a database and its
// write-ahead log.
func StampOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	stamp := fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	if info, err := os.Stat(path + "-wal"); err == nil {
		stamp += fmt.Sprint(" ", info.Size(), info.ModTime().UnixNano())
	}
	return stamp, nil
}

// StoreOf returns the store of a foreign session, which is only read; nil for any
// other path.
func StoreOf(path string) store.Store {
	if Find(path) == nil {
		return nil
	}
	return sessions{}
}

// sessions is a store of foreign sessions.
type sessions struct{}

func (sessions) Open(ctx context.Context, name string) (store.Log, error) {
	s := Find(name)
	if s == nil {
		return nil, &store.LogError{Op: "open", Name: name, Err: os.ErrNotExist}
	}
	f, err := s.open(ctx)
	if err != nil {
		return nil, &store.LogError{Op: "open", Name: name, Err: err}
	}
	return &log{file: f.(*file), name: name}, nil
}

func (sessions) Create(_ context.Context, name string, _ store.Fill) (store.Log, error) {
	return nil, &store.LogError{Op: "create", Name: name, Err: store.ErrReadOnly}
}

func (sessions) Replace(_ context.Context, old store.Log, _ int64, _ store.Fill, _ string) (store.Log, error) {
	return nil, &store.LogError{Op: "replace", Name: old.(*log).name, Err: store.ErrReadOnly}
}

// A log is an open foreign session.
type log struct {
	*file
	name  string
	asked atomic.Bool
}

// Size returns the size of the lines. If the original changed since they were
// made, the session must be opened again. The first call, right after opening,
// does not check: a program may be writing all the time.
func (l *log) Size(ctx context.Context) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if l.asked.Swap(true) && l.changed() {
		return 0, &store.LogError{Name: l.name, Err: store.ErrGone}
	}
	return l.file.Size(), nil
}

func (l *log) Append(context.Context, int64, []byte) (int64, error) {
	return 0, &store.LogError{Op: "append to", Name: l.name, Err: store.ErrReadOnly}
}

func (l *log) Sync(context.Context) error { return nil }
