// Package memstore keeps logs in memory, for sessions that are never saved and
// for tests. It implements package store and all of its optional interfaces;
// Sync does nothing, and everything is lost with the Store.
//
// Stability: core. Its exported names are stable.
package memstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/store"
)

// A Store keeps logs in memory. The zero value is empty and ready to use.
type Store struct {
	mu   sync.Mutex // guards logs, and the data and gone fields of all contents
	logs map[string]*content
}

// content holds one log's bytes, shared by every Log opened on it.
type content struct {
	name string
	data []byte
	gone bool
}

var (
	_ store.Store         = (*Store)(nil)
	_ store.Lister        = (*Store)(nil)
	_ store.Remover       = (*Store)(nil)
	_ store.ContextReader = (*memLog)(nil)
)

// New returns an empty store.
func New() *Store { return &Store{} }

// Open opens the log of that name.
func (s *Store) Open(ctx context.Context, name string) (store.Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, &store.LogError{Op: "open", Name: name, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.logs[name]
	if !ok {
		return nil, &store.LogError{Op: "open", Name: name, Err: fs.ErrNotExist}
	}
	return &memLog{store: s, content: c}, nil
}

// Create publishes a new log.
func (s *Store) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	data, err := collect(ctx, fill)
	if err != nil {
		return nil, &store.LogError{Op: "create", Name: name, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.logs[name]; ok {
		if len(old.data) > 0 {
			return nil, &store.LogError{Op: "create", Name: name, Err: store.ErrExist}
		}
		old.gone = true
	}
	return s.put(name, data), nil
}

// Replace replaces the content of old.
func (s *Store) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	l, ok := old.(*memLog)
	if !ok || l.store != s {
		return nil, errors.New("replace: the log belongs to another store")
	}
	data, err := collect(ctx, fill)
	if err != nil {
		return nil, &store.LogError{Op: "replace", Name: l.content.name, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := l.check(ctx, size); err != nil {
		return nil, fmt.Errorf("replace: %w", err)
	}
	if backup != "" {
		if _, taken := s.logs[backup]; taken {
			return nil, fmt.Errorf("replace %s: backup %s: %w", l.content.name, backup, store.ErrExist)
		}
		s.put(backup, l.content.data)
	}
	l.content.gone = true
	return s.put(l.content.name, data), nil
}

// Remove deletes the log of that name. Logs opened on it are gone.
func (s *Store) Remove(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return &store.LogError{Op: "remove", Name: name, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.logs[name]
	if !ok {
		return &store.LogError{Op: "remove", Name: name, Err: fs.ErrNotExist}
	}
	c.gone = true
	delete(s.logs, name)
	return nil
}

// List yields the logs whose names have the prefix, as of the start of the
// iteration.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(store.Info{}, &store.LogError{Op: "list", Name: prefix, Err: err})
			return
		}
		for _, info := range s.infos(prefix) {
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (s *Store) infos(prefix string) []store.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []store.Info
	for name, c := range s.logs {
		if strings.HasPrefix(name, prefix) {
			all = append(all, store.Info{Name: name, Size: int64(len(c.data))})
		}
	}
	slices.SortFunc(all, func(a, b store.Info) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// put stores data under name. The caller must hold mu. The capacity is limited
// so that no two contents append to the same memory.
func (s *Store) put(name string, data []byte) store.Log {
	if s.logs == nil {
		s.logs = make(map[string]*content)
	}
	c := &content{name: name, data: data[:len(data):len(data)]}
	s.logs[name] = c
	return &memLog{store: s, content: c}
}

func collect(ctx context.Context, fill store.Fill) ([]byte, error) {
	var b bytes.Buffer
	if err := fill.Until(ctx)(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), ctx.Err()
}

type memLog struct {
	store   *Store
	content *content
	closed  bool // guarded by store.mu
}

// check returns an error unless the log is usable and size bytes long. The
// caller must hold store.mu.
func (l *memLog) check(ctx context.Context, size int64) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	if have := int64(len(l.content.data)); have != size {
		return &store.ConflictError{Name: l.content.name, Want: size, Have: have}
	}
	return nil
}

// usable returns an error if the context is done, or if the log is closed or
// gone. The caller must hold store.mu.
func (l *memLog) usable(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return &store.LogError{Name: l.content.name, Err: ctx.Err()}
	case l.closed:
		return &store.LogError{Name: l.content.name, Err: fs.ErrClosed}
	case l.content.gone:
		return &store.LogError{Name: l.content.name, Err: store.ErrGone}
	}
	return nil
}

func (l *memLog) Size(ctx context.Context) (int64, error) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if err := l.usable(ctx); err != nil {
		return 0, fmt.Errorf("size of %w", err)
	}
	return int64(len(l.content.data)), nil
}

func (l *memLog) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read %s: negative offset %d", l.content.name, off)
	}
	l.store.mu.Lock()
	data, closed := l.content.data, l.closed
	l.store.mu.Unlock()
	if closed {
		return 0, &store.LogError{Op: "read", Name: l.content.name, Err: fs.ErrClosed}
	}
	// The bytes of a log never change in place, so copying needs no lock.
	return bytes.NewReader(data).ReadAt(p, off)
}

// ReadAtContext is ReadAt: reading memory does not block.
func (l *memLog) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, &store.LogError{Op: "read", Name: l.content.name, Err: err}
	}
	return l.ReadAt(p, off)
}

func (l *memLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if err := l.check(ctx, at); err != nil {
		return 0, fmt.Errorf("append to %w", err)
	}
	l.content.data = append(l.content.data, p...)
	return at, nil
}

func (l *memLog) Sync(ctx context.Context) error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if err := l.usable(ctx); err != nil && !errors.Is(err, store.ErrGone) {
		return fmt.Errorf("sync %w", err)
	}
	return nil
}

func (l *memLog) Close() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.closed {
		return &store.LogError{Op: "close", Name: l.content.name, Err: fs.ErrClosed}
	}
	l.closed = true
	return nil
}
