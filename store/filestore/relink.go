package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Relink gives a file another name and then takes its old one away. The new name
// is durable before the old one goes: whatever happens, the file has one of them.
// The error matches fs.ErrExist when the new name is taken, and
// errors.ErrUnsupported when the file cannot have it beside the old one, as on
// another device or in a file system without hard links. Nothing is changed then,
// and the caller has to find another way.
func Relink(from, to string) error {
	err := os.Link(from, to)
	switch {
	case errors.Is(err, fs.ErrExist):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	if err := SyncFolder(filepath.Dir(to)); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return os.Remove(from)
}
