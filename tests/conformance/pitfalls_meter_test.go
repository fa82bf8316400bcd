package conformance_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A meter is a store of files that measures what is asked of it.
type meter struct {
	store.Store

	mu       sync.Mutex // guards all below
	read     int64      // bytes
	creates  int
	replaces int
	appended []string // what each append wrote
}

func newMeter() *meter { return &meter{Store: filestore.New(filestore.Options{})} }

func (m *meter) Open(ctx context.Context, name string) (store.Log, error) {
	log, err := m.Store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return &meteredLog{log, m}, nil
}

func (m *meter) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	m.mu.Lock()
	m.creates++
	m.mu.Unlock()
	log, err := m.Store.Create(ctx, name, fill)
	if err != nil {
		return nil, err
	}
	return &meteredLog{log, m}, nil
}

func (m *meter) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	m.mu.Lock()
	m.replaces++
	m.mu.Unlock()
	log, err := m.Store.Replace(ctx, old.(*meteredLog).Log, size, fill, backup)
	if err != nil {
		return nil, err
	}
	return &meteredLog{log, m}, nil
}

// bytesRead is how many bytes were read since the last question.
func (m *meter) bytesRead() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.read
	m.read = 0
	return n
}

func (m *meter) appends() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.appended)
}

type meteredLog struct {
	store.Log
	m *meter
}

func (l *meteredLog) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.Log.ReadAt(p, off)
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	l.m.read += int64(n)
	return n, err
}

func (l *meteredLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	off, err := l.Log.Append(ctx, at, p)
	if err == nil {
		l.m.mu.Lock()
		defer l.m.mu.Unlock()
		l.m.appended = append(l.m.appended, string(p))
	}
	return off, err
}

// allocated is how many bytes f allocates altogether, which bounds what it holds
// at any moment.
func allocated(t *testing.T, f func()) int64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
