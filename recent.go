package pith

import (
	"context"
	"path/filepath"

	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store/filestore"
)

// ContinueRecent opens the session of a working directory in which something
// was said last, or starts a new one. Only heads and tails of files are read. A
// file that cannot be read is passed over; sessions that a machinery marked as
// its own are too. Only files can be searched: with a Store that keeps none the
// error matches ErrFilesOnly.
func ContinueRecent(ctx context.Context, cwd string, o Options) (*Session, error) {
	if _, files := o.keeper().(*filestore.Store); !files {
		return nil, invalidf(ErrFilesOnly, "store", "", "only files can be searched for the most recent session; open it by name")
	}
	cwd = sessiondir.ExpandPath(cwd, "")
	dir, err := folderFor(cwd, &o)
	if err != nil {
		return nil, err
	}
	path, err := sessiondir.MostRecent(ctx, cwd, dir, physicalFolder(cwd, dir, o))
	if err != nil {
		return nil, err
	}
	if path == "" {
		return Create(cwd, o)
	}
	o.Cwd, o.Dir = cwd, filepath.Dir(path)
	return Open(ctx, path, o)
}

// physicalFolder is where the sessions of a working directory are that is named
// by a symbolic link: pi names the folder after the real one (pitfall 175). It is
// dir where that is the same.
func physicalFolder(cwd, dir string, o Options) string {
	real, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		return dir
	}
	other, err := folderFor(real, &o)
	if err != nil {
		return dir
	}
	return other
}

// folderFor is the folder of a project's sessions, given what a caller chose. A
// relative name is left of a path when the process's own directory is gone.
func folderFor(cwd string, o *Options) (string, error) {
	if !filepath.IsAbs(cwd) {
		return "", invalidf(ErrNoFolder, "working directory", cwd, "working directory %q: the current directory cannot be found (was it deleted?); give an absolute path", cwd)
	}
	if o.Dir != "" {
		return sessiondir.ExpandPath(o.Dir, ""), nil
	}
	dir := sessiondir.Environment{}.Place(cwd).For(cwd)
	if dir == "" {
		return "", invalidf(ErrNoFolder, "home folder", "", "there is no home folder to keep sessions in: set HOME, or name a folder for sessions")
	}
	return dir, nil
}
