package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store/filestore"
)

// Artifacts is the folder in which programs keep what belongs to a session: the
// sessions of its subagents, their outputs, logs of tools. It lies beside the
// file and has its name without the extension. ok is false when there is none,
// and for a file without a name such as pi gives: the folder beside notes.jsonl
// may be anything.
func Artifacts(path string) (dir string, ok bool) {
	dir, ok = artifactsName(path)
	if _, _, named := format.ParseFileName(filepath.Base(dir)); !ok || !named {
		return "", false
	}
	return dir, isFolder(dir)
}

// An Extent is how much the artifacts of a session hold, and when something was
// last written there.
type Extent struct {
	Files  int
	Bytes  int64
	Latest time.Time
}

// Measure is the extent of the artifacts of a session; zero where there are none.
// What cannot be read is passed over.
func Measure(path string) (e Extent) {
	dir, ok := Artifacts(path)
	if !ok {
		return e
	}
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			e.Files++
			e.Bytes += info.Size()
			if info.ModTime().After(e.Latest) {
				e.Latest = info.ModTime()
			}
		}
		return nil
	})
	return e
}

// artifactsName is where the artifacts of a file would be.
func artifactsName(path string) (string, bool) { return strings.CutSuffix(path, format.FileSuffix) }

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// artifacts is where the item's artifacts are.
func (it *item) artifacts() string {
	name, _ := artifactsName(filepath.Base(it.Path))
	return filepath.Join(it.folder, name)
}

// follow moves the artifacts of a file into the trash after it. If they cannot
// move, the file goes back, and the item is gone.
func (it *item) follow(dir string) error {
	err := moveFolder(dir, it.artifacts())
	if err == nil || errors.Is(err, errLeft) {
		return err
	}
	err = fmt.Errorf("move its artifacts: %w", err)
	if back := place(it.file(), it.Path); back != nil {
		return fmt.Errorf("%w; they stay at %s, but its file cannot go back: %v", err, dir, back)
	}
	it.remove()
	it.Receipt = Receipt{}
	return err
}

// bring moves the artifacts of an item, if it has any, to where they belong
// beside target, and returns what takes that back.
func (it *item) bring(target string) (back func(), err error) {
	if !it.Artifacts || !isFolder(it.artifacts()) {
		return func() {}, nil
	}
	dir, ok := artifactsName(target)
	if !ok {
		return nil, errors.New("its artifacts go with it; choose a name that ends in .jsonl")
	}
	if _, err := os.Lstat(dir); err == nil {
		return nil, taken(dir)
	}
	if err := moveFolder(it.artifacts(), dir); err != nil && !errors.Is(err, errLeft) {
		return nil, fmt.Errorf("move its artifacts: %w", err)
	}
	return func() { _ = moveFolder(dir, it.artifacts()) }, nil // they are whole in either place
}

// errLeft says that a folder was copied as a whole, but not all of it removed.
var errLeft = errors.New("it was changed while it was copied; what is new stays there")

// moveFolder moves a folder to a name that is free.
func moveFolder(from, to string) error {
	err := os.Rename(from, to)
	if isOtherDevice(err) {
		return moveFolderByCopy(from, to)
	}
	return err
}

// moveFolderByCopy copies a folder, durably and all of it or nothing, and then
// removes what it copied. What was added or changed meanwhile stays where it is.
func moveFolderByCopy(from, to string) error {
	var all []string
	folders := []string{filepath.Dir(to)} // whose entries must be durable
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		all = append(all, path)
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		if d.IsDir() {
			folders = append(folders, target)
		}
		return copyOne(path, target, d)
	})
	for _, dir := range folders {
		if err == nil {
			err = filestore.SyncFolder(dir)
		}
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(to))
	}
	for _, path := range slices.Backward(all) {
		if !isCopyOf(path, filepath.Join(to, strings.TrimPrefix(path, from))) || os.Remove(path) != nil {
			return fmt.Errorf("%s: %w", from, errLeft)
		}
	}
	return nil
}

func copyOne(from, to string, d fs.DirEntry) error {
	switch {
	case d.IsDir():
		return os.Mkdir(to, 0o700)
	case d.Type().IsRegular():
		return duplicate(from, to)
	case d.Type() == fs.ModeSymlink:
		leads, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(leads, to)
	}
	return fmt.Errorf("%s is neither a file nor a folder; remove it first", from)
}

// isCopyOf reports whether a file is still what it was when it was copied. A
// folder is removed only when it is empty, and a link holds nothing.
func isCopyOf(path, dup string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil
	}
	other, err := os.Lstat(dup)
	return err == nil && other.Size() == info.Size() && other.ModTime().Equal(info.ModTime())
}
