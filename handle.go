package pith

import (
	"context"
	"runtime"

	"github.com/pith-sessions/pith/store"
)

// A handle is an open log that sessions, views and contexts share. It is closed by
// its session, or, once another log has taken its place, when nobody can read from it
// any more: a view stays readable however often the file is replaced.
type handle struct {
	store.Log
	cleanup runtime.Cleanup
}

func newHandle(log store.Log) *handle {
	h := &handle{Log: log}
	h.cleanup = runtime.AddCleanup(h, func(log store.Log) { _ = log.Close() }, log) // only read from
	return h
}

// ReadAt keeps the log open until it returns.
func (h *handle) ReadAt(p []byte, off int64) (int, error) {
	defer runtime.KeepAlive(h)
	return h.Log.ReadAt(p, off)
}

// ReadAtContext is ReadAt that ends with the context, where the log can.
func (h *handle) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	defer runtime.KeepAlive(h)
	if slow, ok := h.Log.(store.ContextReader); ok {
		return slow.ReadAtContext(ctx, p, off)
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return h.Log.ReadAt(p, off)
}

// Close closes the log.
func (h *handle) Close() error {
	h.cleanup.Stop()
	return h.Log.Close()
}
