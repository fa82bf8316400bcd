package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// An ExposedError means that a cache directory is not used because another user
// could change its content.
type ExposedError struct {
	Dir  string // the cache directory
	Path string // Dir or a directory above it
	// Owner is the other user who owns Path, or -1 if the owner is right but
	// others may write to it.
	Owner int
}

func (e *ExposedError) Error() string {
	if e.Owner >= 0 {
		return fmt.Sprintf("the cache directory %s is not used: %s belongs to another user (%d)", e.Dir, e.Path, e.Owner)
	}
	return fmt.Sprintf("the cache directory %s is not used: other users can write to %s", e.Dir, e.Path)
}

// CheckPrivate returns an *ExposedError if dir belongs to another user, or if other
// users could change its content. For a directory that does not exist, the
// directories above it are checked.
func CheckPrivate(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	there := dir
	for above := filepath.Dir(there); above != there; above = filepath.Dir(there) {
		if _, err := os.Lstat(there); !errors.Is(err, os.ErrNotExist) {
			break
		}
		there = above
	}
	return exposed(dir, there)
}

// MakePrivate creates a cache directory if it does not exist. The error is an
// *ExposedError if it is not private.
func MakePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return CheckPrivate(dir)
}
