package filestore

import (
	"context"
	"errors"
	"time"

	"github.com/pith-sessions/pith/store"
)

// WriteFile puts content in the place of a small file that is written as a whole,
// or makes it, with the folders that lead to it (FS4). The file has the new
// content, complete and durable, or what it had before. name must be absolute.
//
// Who changes what a file says reads and writes it inside WithDirLock. Without
// that, of two callers at the same moment one may fail, with an error that
// matches store.ErrConflict or store.ErrGone, and nothing of its content is
// written.
func WriteFile(name string, content []byte) error {
	ctx := context.Background() // nobody holds the lock of such a file for long
	files := New(Options{})
	files.system.wait = func(time.Duration) {} // nobody appends to such a file
	l, err := files.Create(ctx, name, store.Bytes(content))
	if errors.Is(err, store.ErrExist) {
		l, err = files.overwrite(ctx, name, content)
	}
	if err != nil {
		return err
	}
	return l.Close()
}

// overwrite replaces all of a file, whatever it holds.
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
