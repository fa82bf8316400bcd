package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Relink gives a file another name, which must be free, in one step: whatever
// happens, the file has one of the two. Where the system has no such step, the
// new name is durable before the old one goes; a crash in between leaves both, and
// the next Relink finishes it. The error matches fs.ErrExist when the new name is
// another file's, and errors.ErrUnsupported when the file cannot have it for any
// other reason, as on another device. Nothing is changed then, and the caller has
// to find another way.
func Relink(from, to string) error {
	err := renameNew(from, to)
	if errors.Is(err, errors.ErrUnsupported) {
		err = linkNew(from, to)
	}
	switch {
	case errors.Is(err, fs.ErrExist) && isSameFile(from, to):
		err = os.Remove(from) // both are names of it, from a move that was broken off
	case errors.Is(err, fs.ErrExist):
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	// The file has its name; what a folder does not make durable comes back as it
	// was, with the old one.
	return errors.Join(SyncFolder(filepath.Dir(to)), SyncFolder(filepath.Dir(from)))
}

func isSameFile(a, b string) bool {
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// linkNew is renameNew in two steps. If the second fails, the first is undone.
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
