// Package artifacts copies and moves session files and the directories of their
// artifacts: the sessions of subagents, their output, logs of tools.
//
// # Invariants
//
//	AR1  A copy is complete and durable, or nothing of it is left.
//	AR2  A copy has the permissions of the original, and fewer while it is made.
//	AR3  Nothing is overwritten.
//	AR4  A move removes only files that were copied and have not changed since.
package artifacts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store/filestore"
)

// ErrLeft means that a directory was copied completely but not removed
// completely, because something in it was added or changed meanwhile.
var ErrLeft = errors.New("it changed while it was copied; the new data is still there")

// Dir returns the directory of a session's artifacts, which is next to its file
// and has its name without the extension. Exists reports whether the directory
// exists. Dir is "" for a file with another extension.
func Dir(session string) (dir string, exists bool) {
	dir, ok := strings.CutSuffix(session, format.FileSuffix)
	if !ok {
		return "", false
	}
	info, err := os.Lstat(dir)
	return dir, err == nil && info.IsDir()
}

// Copy copies a directory to an unused name. Links are copied as links. Pipes,
// sockets and devices have no content and are left out.
func Copy(ctx context.Context, from, to string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	if err := filestore.MakeFolders(filepath.Dir(to)); err != nil {
		return err
	}
	_, err = publishTree(ctx, from, to, func(string) error { return nil })
	return err
}

// Move moves a directory to an unused name. If that is on another device, the
// directory must contain only files, directories and links. An error that
// matches ErrLeft means that the directory is complete at its new place. If the
// new name is a copy of the directory, an earlier Move was interrupted: the old
// one is removed.
func Move(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		all, err := compareTrees(from, to)
		if err != nil {
			return err
		}
		return forget(from, all)
	}
	err := os.Rename(from, to)
	if !isOtherDevice(err) {
		return err
	}
	all, err := publishTree(context.Background(), from, to, func(path string) error {
		return fmt.Errorf("%s is neither a file nor a directory; remove it first", path)
	})
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := c.verify(); err != nil {
			return errors.Join(err, Remove(to))
		}
	}
	return forget(from, all)
}

// forget removes what was copied.
func forget(from string, all []copied) error {
	for _, c := range slices.Backward(all) {
		if !c.unchanged() || os.Remove(c.from) != nil {
			return fmt.Errorf("%s: %w", from, ErrLeft)
		}
	}
	return nil
}

// MoveFile moves a file to an unused name. If the name exists, the error
// matches fs.ErrExist. If both names refer to the same file, or the new one to a
// copy, the old one is removed: an earlier move was interrupted, or the file was
// written again as it was. MoveFile holds the lock of the file, so that a session
// is not rewritten under its old name while it moves.
func MoveFile(from, to string) error {
	return filestore.WithLock(context.Background(), from, func() error { return moveFile(from, to) })
}

func moveFile(from, to string) error {
	err := filestore.Relink(from, to)
	exists := errors.Is(err, fs.ErrExist)
	if !exists && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	c := copied{from: from, to: to, info: info}
	switch {
	case c.isSame():
		if err := c.adopt(); err != nil {
			return err
		}
		return os.Remove(from)
	case exists:
		return taken(to)
	}
	if err := c.copyFile(context.Background()); errors.Is(err, fs.ErrExist) {
		return taken(to)
	} else if err != nil {
		return err
	}
	err = c.verify()
	if err == nil {
		err = os.Remove(from)
	}
	if err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// CopyFile copies a file to an unused name, with its permissions and its time. If the
// name exists, the error matches fs.ErrExist.
func CopyFile(ctx context.Context, from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	c := copied{from: from, to: to, info: info}
	if err := c.copyFile(ctx); errors.Is(err, fs.ErrExist) {
		return taken(to)
	} else if err != nil {
		return err
	}
	if err := c.verify(); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// IsCopy reports whether b is a regular file with the content of a, or a directory
// with everything that is in a.
func IsCopy(a, b string) bool {
	info, err := os.Lstat(a)
	if err == nil && info.IsDir() {
		_, err = compareTrees(a, b)
		return err == nil
	}
	return err == nil && (&copied{from: a, to: b, info: info}).isSame()
}

func taken(path string) error { return fmt.Errorf("%w: %s", fs.ErrExist, path) }

// Remove deletes a copy, including directories that their owner may not write
// to.
func Remove(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // RemoveAll reports what this could not change
		}
		return nil
	})
	return os.RemoveAll(dir)
}
