package filestore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/pith-sessions/pith/store"
)

// Overwrite implements store.Overwriter.
func (l *fileLog) Overwrite(ctx context.Context, at int64, was, now []byte) error {
	const op = "overwrite in"
	if len(was) != len(now) {
		return fault(op, l.name, fmt.Errorf("%d bytes in place of %d", len(now), len(was)))
	}
	if err := l.beginWrite(ctx); err != nil {
		return fault(op, l.name, err)
	}
	defer l.endWrite()
	if _, err := l.present(); err != nil {
		return fault(op, l.name, err)
	}
	// The log's own handle can only append.
	f, err := os.OpenFile(l.name, os.O_RDWR, 0)
	if err != nil {
		return fault(op, l.name, err)
	}
	defer f.Close() // either written in full, or the write has failed
	here, err := factsOf(f)
	if err != nil {
		return fault(op, l.name, err)
	}
	if here.id != l.id {
		return fault(op, l.name, store.ErrGone)
	}
	there := make([]byte, len(was))
	if _, err := f.ReadAt(there, at); err != nil && err != io.EOF {
		return fault(op, l.name, err)
	}
	if !bytes.Equal(there, was) {
		return fault(op, l.name, store.ErrConflict)
	}
	_, err = f.WriteAt(now, at)
	if err == nil && l.store.options.Sync == SyncAlways {
		err = l.store.system.sync(f)
	}
	return fault(op, l.name, err)
}
