package adksession_test

import (
	"context"
	"sync/atomic"

	"github.com/pith-sessions/pith/store"
)

// counting is a store that counts the bytes that are read from its logs.
type counting struct {
	store.Store
	read, size atomic.Int64 // size is the length of the longest log
}

func (c *counting) Open(ctx context.Context, name string) (store.Log, error) {
	log, err := c.Store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return &countingLog{log, c}, nil
}

type countingLog struct {
	store.Log
	c *counting
}

func (l *countingLog) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.Log.ReadAt(p, off)
	l.c.read.Add(int64(n))
	l.c.size.Store(max(l.c.size.Load(), off+int64(n)))
	return n, err
}
