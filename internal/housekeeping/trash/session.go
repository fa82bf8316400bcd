package trash

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

// ErrNoFolder says that neither HOME nor XDG_DATA_HOME is set, so that there is no
// place for a trash.
var ErrNoFolder = errors.New("there is no folder for the trash: neither HOME nor XDG_DATA_HOME is set; set one of them")

// Default is the user's own trash: the system's, where the command named trash is
// installed, and otherwise a folder of pith's own in the user's data folder.
func Default(e sessiondir.Environment) (Options, error) {
	dir := e.DataDir()
	if dir == "" {
		return Options{}, ErrNoFolder
	}
	return Options{Dir: filepath.Join(dir, "trash"), Command: "trash"}, nil
}

// PutSession is Put for a path that is not known to be a session's: one that is
// none is refused with [format.ErrNotSession].
//
// The folder beside the file that has its name without .jsonl holds the session's
// artifacts: the sessions of its subagents and what they made. It goes along if
// the file has a name such as pi gives; beside any other name a folder may be
// anything, and stays. If the folder cannot be moved, the file stays too.
func PutSession(path string, o Options) (Receipt, error) {
	if _, err := sessiondir.HeaderOf(path); err != nil && !errors.Is(err, format.ErrTooNew) {
		return Receipt{}, fmt.Errorf("put %s into the trash: %w", path, err)
	}
	return Put(path, o)
}
