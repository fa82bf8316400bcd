package filestore

import (
	"context"
	"errors"
	"time"

	"github.com/pith-sessions/pith/store"
)

// WriteFile replaces or creates a small file that is written as a whole, and
// creates missing parent directories (FS4). The file has either the new
// content, complete and durable, or its previous content. name must be
// absolute.
//
// To change the content of a file, read and write it inside WithDirLock.
// Otherwise, of two concurrent callers one may fail, with an error that matches
// store.ErrConflict or store.ErrGone, and none of its content is written.
func WriteFile(name string, content []byte) error {
	ctx := context.Background() // the lock of such a file is never held for long
	files := New(Options{})
	files.system.wait = func(time.Duration) {} // no program appends to such a file
	l, err := files.Create(ctx, name, store.Bytes(content))
	if errors.Is(err, store.ErrExist) {
		l, err = files.overwrite(ctx, name, content)
	}
	if err != nil {
		return err
	}
	return l.Close()
}

// overwrite replaces a whole file, whatever its content.
func (s *Store) overwrite(ctx context.Context, name string, content []byte) (store.Log, error) {
	old, err := s.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	size, err := old.Size(ctx)
	if err != nil {
		return nil, err
	}
	return s.Replace(ctx, old, size, store.Bytes(content), "")
}
