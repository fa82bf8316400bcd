package trash

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

// ErrNoDir means that neither HOME nor XDG_DATA_HOME is set, so that the
// trash has no place.
var ErrNoDir = errors.New("no directory for the trash: set HOME or XDG_DATA_HOME")

// Default returns the options for the user's trash: the system's, if the
// command named trash is installed, and otherwise a directory in the user's
// data directory.
func Default(e sessiondir.Environment) (Options, error) {
	dir := e.DataDir()
	if dir == "" {
		return Options{}, ErrNoDir
	}
	return Options{Dir: filepath.Join(dir, "trash"), Command: "trash"}, nil
}

// PutSession is like Put for a path that may not be a session; then the error
// matches [format.ErrNotSession].
//
// The directory next to the file that has its name without .jsonl contains the
// session's artifacts: the sessions of its subagents and their output. It moves
// with the file if the file name has pi's form; next to any other name a
// directory may be anything, and stays. If the directory cannot be moved, the
// file stays too.
func PutSession(path string, o Options) (Receipt, error) {
	if _, err := sessiondir.HeaderOf(path); err != nil && !errors.Is(err, format.ErrTooNew) {
		return Receipt{}, fmt.Errorf("move %s to the trash: %w", path, err)
	}
	return Put(path, o)
}
