package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Relink renames a file to a free name in one step: whatever happens, the file
// has one of the two names. If the system has no such step, the new name is
// durable before the old one is removed; a crash in between leaves both, and
// the next Relink finishes. The error matches fs.ErrExist if the new name
// belongs to another file, and errors.ErrUnsupported if the file cannot have it
// for any other reason, such as another device. In both cases nothing has
// changed.
func Relink(from, to string) error {
	err := renameNew(from, to)
	if errors.Is(err, errors.ErrUnsupported) {
		err = linkNew(from, to)
	}
	switch {
	case errors.Is(err, fs.ErrExist) && isSameFile(from, to):
		err = os.Remove(from) // both names, left by an interrupted Relink
	case errors.Is(err, fs.ErrExist):
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	// The file has its new name. If a directory cannot be synced, a crash may
	// restore the old one.
	return errors.Join(SyncFolder(filepath.Dir(to)), SyncFolder(filepath.Dir(from)))
}

func isSameFile(a, b string) bool {
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// linkNew is renameNew in two steps. If the second fails, it undoes the first.
func linkNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	err := SyncFolder(filepath.Dir(to))
	if err == nil {
		err = os.Remove(from)
	}
	if err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}
