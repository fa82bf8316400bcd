package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Set is a session of another agent: everything that belongs to it and to no
// other session. All paths are absolute.
type Set struct {
	// Path is the file by which the session is known.
	Path string
	// Whole is the directory of the session if it has one that contains Path.
	Whole string
	// Also are the other files and directories. Those that do not exist are left
	// out.
	Also []string
	// Lines are lines of files that the session shares with others.
	Lines []Lines
	// Source, Session and Title say whose session it is, for lists.
	Source, Session, Title string
}

// Lines are whole lines of a file, each with its line break.
type Lines struct {
	Path  string
	Lines [][]byte
}

// A SetReceipt describes a Set in the trash. Its paths are relative to the
// directory of the file.
type SetReceipt struct {
	Source  string      `json:"source"`
	Session string      `json:"session"`
	Title   string      `json:"title,omitempty"`
	Whole   string      `json:"whole,omitempty"`
	Also    []string    `json:"also,omitempty"`
	Lines   []takenFrom `json:"lines,omitempty"`
}

// ErrOnlyBack means that a set cannot be restored to another place.
var ErrOnlyBack = errors.New("a session of another agent can only be restored to where it was")

// PutSet moves a session of another agent to pith's own trash. Like Put, it may
// return a receipt with an error: then the file is in the trash, and Restore or
// Purge completes what is left.
func PutSet(s Set, o Options) (Receipt, error) {
	r, err := putSet(s, o)
	if err != nil {
		return r, fmt.Errorf("move %s to the trash: %w", s.Path, err)
	}
	return r, nil
}

func putSet(s Set, o Options) (Receipt, error) {
	for _, path := range append([]string{s.Path, s.Whole}, s.Also...) {
		if info, err := os.Lstat(path); path != "" && err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return Receipt{}, fmt.Errorf("%s is neither a file nor a directory", path)
		}
	}
	size, sum, err := digest(s.Path)
	if err != nil {
		return Receipt{}, err
	}
	set := &SetReceipt{Source: s.Source, Session: s.Session, Title: s.Title}
	dir := filepath.Dir(s.Path)
	relative := func(path string) string {
		rel, e := filepath.Rel(dir, path)
		err = errors.Join(err, e)
		return rel
	}
	if s.Whole != "" {
		set.Whole = relative(s.Whole)
	}
	for _, path := range s.Also {
		if _, err := os.Lstat(path); err == nil {
			set.Also = append(set.Also, relative(path))
		}
	}
	for _, l := range s.Lines {
		from, e := findLines(l)
		if err = errors.Join(err, e); e == nil && len(from.Lines) > 0 {
			from.File = relative(l.Path)
			set.Lines = append(set.Lines, from)
		}
	}
	if err != nil {
		return Receipt{}, err
	}
	it, err := itemFor(o, Receipt{Path: s.Path, Time: time.Now().UTC(), Size: size, SHA256: sum, Set: set})
	if err != nil {
		return Receipt{}, err
	}
	if err := it.take(); err != nil {
		return Receipt{}, err
	}
	return it.Receipt, errors.Join(it.takeRest(), it.refresh())
}

// absolute returns a path of the set.
func (it *item) absolute(rel string) string { return filepath.Join(filepath.Dir(it.Path), rel) }

// with returns the path in the trash of the nth of Set.Also.
func (it *item) with(n int) string {
	return filepath.Join(it.folder, "with", fmt.Sprint(n), filepath.Base(it.Set.Also[n]))
}

// takeRest moves what belongs to a file that is in the trash after it. It does
// nothing a second time.
func (it *item) takeRest() error {
	var failed []error
	for n, rel := range it.Set.Also {
		failed = append(failed, moveAny(it.absolute(rel), it.with(n)))
	}
	for i := range it.Set.Lines {
		l := &it.Set.Lines[i]
		failed = append(failed, l.takeOut(it.absolute(l.File)))
	}
	return errors.Join(failed...)
}

// restoreSet moves a set back, the file last.
func (it *item) restoreSet(o Options) error {
	if o.To != "" {
		return ErrOnlyBack
	}
	if !it.hasFile() {
		if _, sum, err := digest(it.Path); err != nil || sum != it.SHA256 {
			return ErrNotFound
		}
		return it.discard() // a Restore was interrupted after it moved the file
	}
	unit, kept := it.unit()
	if isTaken(kept, unit) {
		return taken(unit)
	}
	for n, rel := range it.Set.Also {
		if path := it.absolute(rel); exists(it.with(n)) && isTaken(it.with(n), path) {
			return taken(path)
		}
	}
	if err := filestore.MakeFolders(filepath.Dir(unit)); err != nil {
		return err
	}
	for n, rel := range it.Set.Also {
		path := it.absolute(rel)
		if err := errors.Join(filestore.MakeFolders(filepath.Dir(path)), moveAny(it.with(n), path)); err != nil {
			return err
		}
	}
	for i := range it.Set.Lines {
		l := &it.Set.Lines[i]
		if err := l.putBack(it.absolute(l.File)); err != nil {
			return err
		}
	}
	if err := moveAny(kept, unit); err != nil {
		return err
	}
	return it.discard()
}

// discard removes the item of a set that is back where it was.
func (it *item) discard() error {
	for n := range it.Set.Also {
		if exists(it.with(n)) {
			return fmt.Errorf("%s was not moved back", it.with(n))
		}
		_ = os.Remove(filepath.Dir(it.with(n)))
	}
	_ = os.Remove(filepath.Join(it.folder, "with"))
	it.remove()
	return nil
}

// moveAny moves a file or a directory to an unused name. It does nothing if there
// is none to move.
func moveAny(from, to string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := filestore.MakeFolders(filepath.Dir(to)); err != nil {
		return err
	}
	if info.IsDir() {
		return artifacts.Move(from, to)
	}
	return artifacts.MoveFile(from, to)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
