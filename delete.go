package pith

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

// A Trash keeps deleted sessions until they are restored, each with the folder of
// its artifacts. The zero value is the user's own: see DefaultTrash.
type Trash struct {
	// Dir is pith's trash folder.
	Dir string
	// Command is the system's trash program, asked first if it is installed; ""
	// uses Dir alone.
	Command string
}

// A Deleted session can be restored by its ID, unless it is in the system's trash.
type Deleted struct {
	ID     string // of the item in the trash, not of the session
	Path   string // where the file was
	Time   time.Time
	Size   int64 // of the file, without its artifacts
	System bool  // it is in the system's trash, and is restored there
}

func deleted(r trash.Receipt) Deleted {
	return Deleted{ID: r.ID, Path: r.Path, Time: r.Time, Size: r.Size, System: r.System}
}

// DefaultTrash is the system's trash, where the command named trash is
// installed, and otherwise a folder of pith's own in the user's data folder.
func DefaultTrash() (Trash, error) {
	dir := sessiondir.Environment{}.DataDir()
	if dir == "" {
		return Trash{}, errors.New("there is no folder for the trash: neither HOME nor XDG_DATA_HOME is set; set one of them")
	}
	return Trash{filepath.Join(dir, "trash"), "trash"}, nil
}

func (t Trash) options(to string) (trash.Options, error) {
	if t == (Trash{}) {
		d, err := DefaultTrash()
		if err != nil {
			return trash.Options{}, err
		}
		t = d
	}
	return trash.Options{Dir: t.Dir, Command: t.Command, To: to}, nil
}

// Delete moves a session's file to the trash. Nothing is destroyed. A path that
// is not a session's is refused.
//
// The folder beside the file that has its name without .jsonl holds the session's
// artifacts: the sessions of its subagents and what they made. It goes along if
// the file has a name such as pi gives; beside any other name a folder may be
// anything, and stays. If the folder cannot be moved, the file stays too.
func (t Trash) Delete(path string) (Deleted, error) {
	o, err := t.options("")
	if err != nil {
		return Deleted{}, err
	}
	path = sessiondir.ExpandPath(path, "")
	if _, err := sessiondir.HeaderOf(path); err != nil && !errors.Is(err, ErrTooNew) {
		return Deleted{}, &FileError{"delete", path, cause(err)}
	}
	r, err := trash.Put(path, o)
	return deleted(r), err
}

// List is what was deleted and not restored, the latest first.
func (t Trash) List() ([]Deleted, error) {
	o, err := t.options("")
	if err != nil {
		return nil, err
	}
	items, err := trash.List(o)
	out := make([]Deleted, len(items))
	for i, r := range items {
		out[i] = deleted(r)
	}
	return out, err
}

// Restore brings a deleted session back to where it was, or to another path,
// and returns that path. The folder of its artifacts comes back beside it. It
// never overwrites anything.
func (t Trash) Restore(id, to string) (string, error) {
	if to != "" {
		to = sessiondir.ExpandPath(to, "")
	}
	o, err := t.options(to)
	if err != nil {
		return "", err
	}
	return trash.Restore(id, o)
}
