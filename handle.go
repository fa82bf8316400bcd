package pith

import (
	"context"
	"runtime"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/store"
)

// A handle is an open log shared by sessions, views and contexts. Its session
// closes it. If another log replaced it, it is closed when no view refers to it
// any more, so a view stays readable even if the file is replaced.
type handle struct {
	store.Log
	cleanup runtime.Cleanup
}

func newHandle(log store.Log) *handle {
	h := &handle{Log: log}
	h.cleanup = runtime.AddCleanup(h, func(log store.Log) { _ = log.Close() }, log) // only read
	return h
}

// ReadAt keeps the log open until it returns.
func (h *handle) ReadAt(p []byte, off int64) (int, error) {
	defer runtime.KeepAlive(h)
	return h.Log.ReadAt(p, off)
}

// ReadAtContext is ReadAt with cancellation, if the log supports it.
func (h *handle) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	defer runtime.KeepAlive(h)
	return envelope.Until(ctx, h.Log).ReadAt(p, off)
}

// NextData finds the end of a hole in the log: see [envelope.NextData].
func (h *handle) NextData(off, to int64) int64 {
	defer runtime.KeepAlive(h)
	return envelope.NextData(h.Log, off, to)
}

// Close closes the log.
func (h *handle) Close() error {
	h.cleanup.Stop()
	return h.Log.Close()
}
