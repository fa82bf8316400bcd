package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/store"
)

// Create publishes a new file and creates missing parent directories.
func (s *Store) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	const op = "create"
	if err := checkName(op, name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fault(op, name, err)
	}
	if info, err := os.Stat(name); err == nil && (info.Size() > 0 || !info.Mode().IsRegular()) {
		return nil, fault(op, name, store.ErrExist) // before calling fill
	}
	dir := filepath.Dir(name)
	if real, err := filepath.EvalSymlinks(name); err == nil {
		dir = filepath.Dir(real) // an empty file to take over, perhaps in another directory
	} else if err := MakeFolders(dir); err != nil {
		return nil, fault(op, name, err)
	}
	t, err := s.newTemp(dir, fill.Until(ctx))
	if err != nil {
		return nil, fault(op, name, err)
	}
	defer t.discard()
	if err := s.publish(ctx, t, name); err != nil {
		return nil, fault(op, name, err)
	}
	return t.log(s, name)
}

// publish durably gives t its name, unless the name is taken by anything but an
// empty file.
func (s *Store) publish(ctx context.Context, t *temp, name string) error {
	err := publishNew(s.system.link, t.path, name)
	switch {
	case err == nil:
		if err := SyncFolder(filepath.Dir(name)); err != nil {
			// No process can have appended: the file's lock is still held.
			_ = os.Remove(name)
			return err
		}
		return nil
	case errors.Is(err, fs.ErrExist):
		return s.takeOver(ctx, t, name)
	case !cannotLink(err):
		return err
	}
	// Without hard links, claim the name with an empty file, which does not
	// count as a log, and then take it over. A crash in between leaves the
	// empty file, which the next Create takes over in the same way.
	claim, err := openFile(name, forCreating)
	if err == nil {
		err = claim.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return s.takeOver(ctx, t, name)
}

// takeOver replaces the empty file of that name with t. Of several callers one
// wins: they take the lock of the empty file one after another, and all but the
// first find a different file at its name.
func (s *Store) takeOver(ctx context.Context, t *temp, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		if _, linkErr := os.Readlink(name); linkErr == nil {
			return fmt.Errorf("%w: it is a dangling symbolic link", store.ErrExist)
		}
		return err
	}
	if info.Size() > 0 || !info.Mode().IsRegular() {
		return store.ErrExist
	}
	empty, err := s.open(name)
	if err != nil {
		return err
	}
	defer empty.Close()
	err = s.exchange(ctx, empty, 0, t, "")
	if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrGone) {
		return store.ErrExist
	}
	return err
}

// MakeFolders creates a private directory and its missing parents, and makes
// their existence durable.
func MakeFolders(dir string) error {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, d := range missing {
		if err := SyncFolder(filepath.Dir(d)); err != nil {
			return err
		}
	}
	return nil
}
