package trash

import (
	"errors"
	"path/filepath"

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
