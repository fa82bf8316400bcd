package trash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/store/filestore"
)

// List returns the items in the trash, newest first. A damaged item does not
// hide the others: they are returned together with an error about it.
func List(o Options) ([]Receipt, error) {
	dir, err := o.dir()
	if err != nil {
		return nil, fmt.Errorf("list the trash: %w", err)
	}
	folders, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the trash: %w", err)
	}
	var found []Receipt
	var damaged []error
	for _, e := range folders {
		if !e.IsDir() {
			continue
		}
		folder := filepath.Join(dir, e.Name())
		it, err := load(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist) && isBrokenOff(folder):
		case err != nil:
			damaged = append(damaged, fmt.Errorf("list the trash: item %s: %w", e.Name(), err))
		case it.System || it.hasFile():
			found = append(found, it.Receipt)
		}
	}
	slices.SortFunc(found, func(a, b Receipt) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(b.ID, a.ID))
	})
	return found, errors.Join(damaged...)
}

// Restore moves the file of an item back to its old path, or to Options.To,
// with its artifacts next to it, and returns that path. It overwrites only the
// content that Keep was told of: otherwise the error matches fs.ErrExist if the
// path exists.
func Restore(id string, o Options) (string, error) {
	target, err := restore(id, o)
	if err != nil {
		return "", fmt.Errorf("restore %s: %w", id, err)
	}
	return target, nil
}

// Purge deletes an item permanently, with its artifacts. For an item in the
// system's trash it deletes only the receipt.
func Purge(id string, o Options) error {
	it, err := o.item(id)
	if err == nil {
		err = it.complete()
	}
	if err == nil {
		err = artifacts.Remove(it.folder)
	}
	if err != nil {
		return fmt.Errorf("purge %s: %w", id, err)
	}
	return nil
}

// File returns the path of an item's file in the trash, for reading.
func File(id string, o Options) (string, error) {
	it, err := o.item(id)
	switch {
	case err != nil:
		return "", err
	case it.System:
		return "", ErrSystem
	}
	return it.file(), nil
}

func (o *Options) item(id string) (*item, error) {
	dir, err := o.dir()
	if err != nil {
		return nil, err
	}
	if id == "" || id != filepath.Base(id) || !filepath.IsLocal(id) || id == "." {
		return nil, ErrNotFound
	}
	it, err := load(filepath.Join(dir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	return it, err
}

func restore(id string, o Options) (string, error) {
	it, err := o.item(id)
	if err != nil {
		return "", err
	}
	if it.System {
		return "", ErrSystem
	}
	if it.Set != nil {
		return it.Path, it.restoreSet(o)
	}
	target := it.Path
	if o.To != "" {
		if target, err = filepath.Abs(o.To); err != nil {
			return "", err
		}
	}
	if !it.hasFile() {
		if _, sum, err := digest(target); err != nil || sum != it.SHA256 {
			return "", ErrNotFound
		}
		it.remove() // a Restore was interrupted after it moved the file
		return target, nil
	}
	if err := filestore.MakeFolders(filepath.Dir(target)); err != nil {
		return "", err
	}
	if o.To == "" && it.isReplaced() {
		if err := it.exchange(); err != nil {
			return "", err
		}
		return target, nil
	}
	if isTaken(it.file(), target) { // check before anything moves: the file is moved last
		return "", taken(target)
	}
	back, err := it.bring(target)
	if err != nil {
		return "", err
	}
	if err := it.bringBackups(target); err != nil {
		back()
		return "", err
	}
	if err := artifacts.MoveFile(it.file(), target); err != nil {
		back()
		return "", err
	}
	it.remove()
	return target, nil
}

// isReplaced reports whether the old path has the content that took the place of the
// file, and nothing else.
func (it *item) isReplaced() bool {
	if info, err := os.Lstat(it.Path); it.Replaced == "" || err != nil || !info.Mode().IsRegular() {
		return false
	}
	_, sum, err := digest(it.Path)
	return err == nil && sum == it.Replaced
}

// exchange puts the file back over that content, in one step.
func (it *item) exchange() error {
	temp := filestore.TempName(filepath.Dir(it.Path))
	if err := artifacts.CopyFile(context.Background(), it.file(), temp); err != nil {
		return err
	}
	if err := os.Rename(temp, it.Path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := os.Remove(it.file()); err != nil {
		return err
	}
	it.remove()
	return nil
}

// isTaken reports whether target exists and is neither the file itself nor a copy
// of it, made by a Restore that was interrupted.
func isTaken(file, target string) bool {
	there, err := os.Lstat(target)
	if err != nil {
		return false
	}
	own, err := os.Lstat(file)
	return err != nil || !os.SameFile(own, there) && !artifacts.IsCopy(file, target)
}

func taken(target string) error {
	return fmt.Errorf("%w: %s; choose another path, or move that file away first", fs.ErrExist, target)
}
