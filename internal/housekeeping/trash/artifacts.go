package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/artifacts"
)

// Artifacts returns the directory in which programs store data of a session:
// the sessions of its subagents, their outputs, logs of tools. It is next to
// the file and has its name without the extension. ok is false if it does not
// exist, and for a file name without pi's form: a directory next to notes.jsonl
// may be anything.
func Artifacts(path string) (dir string, ok bool) {
	dir, ok = artifacts.Dir(path)
	if _, _, named := format.ParseFileName(filepath.Base(dir)); !named {
		return "", false
	}
	return dir, ok
}

// An Extent is the size of the artifacts of a session, and the time of the last
// write to them.
type Extent struct {
	Files  int
	Bytes  int64
	Latest time.Time
}

// Measure returns the extent of the artifacts of a session; zero if there are
// none.
func Measure(path string) Extent {
	dir, ok := Artifacts(path)
	if !ok {
		return Extent{}
	}
	return ExtentOf(dir)
}

// ExtentOf returns the extent of the files at or below some paths. Those that cannot
// be read are skipped.
func ExtentOf(paths ...string) (e Extent) {
	for _, path := range paths {
		_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
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
	}
	return e
}

func (it *item) artifacts() (dir string, exists bool) {
	return artifacts.Dir(filepath.Join(it.folder, filepath.Base(it.Path)))
}

// follow moves the artifacts of a file into the trash after it. If they cannot
// be moved, the file is moved back, and the item is removed.
func (it *item) follow(dir string) error {
	to, _ := it.artifacts()
	err := artifacts.Move(dir, to)
	if err == nil || errors.Is(err, artifacts.ErrLeft) {
		return err
	}
	err = fmt.Errorf("move its artifacts: %w", err)
	if back := artifacts.MoveFile(it.file(), it.Path); back != nil {
		return fmt.Errorf("%w; they are still at %s, but the session file could not be moved back: %v", err, dir, back)
	}
	it.remove()
	it.Receipt = Receipt{}
	return err
}

// complete moves what a Put or PutSet that was interrupted after the file left behind: the
// artifacts and the backups of a session that is not there any more.
func (it *item) complete() error {
	if _, err := os.Lstat(it.Path); it.System || !it.hasFile() || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if it.Set != nil {
		return it.takeRest()
	}
	if dir, left := Artifacts(it.Path); it.Artifacts && left {
		if to, _ := it.artifacts(); to != "" {
			if err := artifacts.Move(dir, to); err != nil {
				return fmt.Errorf("move its artifacts: %w", err)
			}
		}
	}
	return it.takeBackups(Backups(it.Path))
}

// bring moves the artifacts of an item, if it has any, next to target, and
// returns a function that moves them back.
func (it *item) bring(target string) (back func(), err error) {
	from, exists := it.artifacts()
	if !it.Artifacts || !exists {
		return func() {}, nil
	}
	dir, _ := artifacts.Dir(target)
	if dir == "" {
		return nil, errors.New("it has artifacts; choose a name that ends in .jsonl")
	}
	err = artifacts.Move(from, dir)
	if errors.Is(err, fs.ErrExist) {
		return nil, taken(dir)
	}
	if err != nil && !errors.Is(err, artifacts.ErrLeft) {
		return nil, fmt.Errorf("move its artifacts: %w", err)
	}
	return func() { _ = artifacts.Move(dir, from) }, nil // they are complete in either place
}
