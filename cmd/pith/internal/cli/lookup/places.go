package lookup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/internal/cache/seal"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

// Places are where sessions and pith's own files are.
type Places struct {
	*console.Console
	SessionDir string // what --session-dir names; "" for the usual places
	Store      string // what --store names: the connection string of a team's store
	mirror     string // the folder of the team's sessions, where SessionDir is that

	Sources []string // what --source names: the agents whose sessions a command is about; empty for all

	exposureTold bool // that the cache folder is not used
	Force        bool // write although another program seems to have a session
}

// Cwd is the working directory, or an error that says what to do (pitfall 176).
func (a *Places) Cwd() (string, error) {
	dir, err := a.Env.Cwd()
	if err != nil {
		return "", fmt.Errorf("the current directory cannot be found (was it deleted?); change to another one: %v", Cause(err))
	}
	return dir, nil
}

// DataDir is a folder of pith's own, where the system keeps the data of
// programs: the one that trash.Default uses too. It is not created here.
func (a *Places) DataDir(name string) (string, error) {
	dir := a.Environment().DataDir()
	if dir == "" || a.Env.Home() == "" && !filepath.IsAbs(a.Env.Getenv("XDG_DATA_HOME")) {
		return "", errors.New("there is no folder for pith's own files: neither HOME nor XDG_DATA_HOME is set; set one of them")
	}
	return filepath.Join(dir, name), nil
}

// Environment is what the library asks of the environment.
func (a *Places) Environment() sessiondir.Environment {
	return sessiondir.Environment{Getenv: a.Env.Getenv, Home: a.Env.Home()}
}

// CacheDir returns the folder of pith's caches; "" when the environment names none, or
// one that other users could write to, which is told once. Commands work without it.
func (a *Places) CacheDir() string {
	dir, err := a.NeedCacheDir()
	if err != nil && !errors.Is(err, ErrNoCache) && !a.exposureTold {
		a.exposureTold = true
		a.Note("note: %v", err)
	}
	return dir
}

// NeedCacheDir is CacheDir for a command that cannot do without. A home folder that
// only the system knows of is not taken: a command that is run without one must leave
// nothing behind.
func (a *Places) NeedCacheDir() (string, error) {
	if a.Env.Home() == "" && a.Env.Getenv("PITH_CACHE_DIR") == "" && a.Env.Getenv("XDG_CACHE_HOME") == "" {
		return "", ErrNoCache
	}
	dir := catalog.CacheDir(catalog.Options{Getenv: a.Env.Getenv, Home: a.Env.Home()})
	if dir == "" {
		return "", ErrNoCache
	}
	if err := seal.Check(dir); err != nil {
		return "", err
	}
	return dir, nil
}

// ErrNoCache is the error of a command that needs a folder for the indexes.
var ErrNoCache = errors.New("there is no folder for the index: set HOME, XDG_CACHE_HOME or PITH_CACHE_DIR")

// CheckSessionDir tells a folder without sessions from a misspelt one.
func (a *Places) CheckSessionDir() error {
	if a.SessionDir == "" {
		return nil
	}
	info, err := os.Stat(a.SessionDir)
	switch {
	case err != nil:
		return fmt.Errorf("session folder %s: %w", a.SessionDir, Cause(err))
	case !info.IsDir():
		return exit.Usagef("--session-dir %s is not a folder", a.SessionDir)
	}
	return nil
}

// ProjectDir is the folder that a new session is for, as pi would record it:
// absolute and without symbolic links, because pi asks the system for it.
func (a *Places) ProjectDir(dir string) (string, error) {
	if dir == "" || !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "~") {
		cwd, err := a.Cwd()
		if err != nil {
			return "", err
		}
		dir = sessiondir.ExpandPath(dir, cwd)
	}
	dir = sessiondir.ExpandPath(dir, "")
	info, err := os.Stat(dir)
	if err != nil {
		return "", exit.Missingf("there is no folder %s: %w", dir, Cause(err))
	}
	if !info.IsDir() {
		return "", exit.Usagef("%s is not a folder", dir)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir, nil
}

// Trash says where removed sessions go.
func (a *Places) Trash() (trash.Options, error) {
	dir, err := a.DataDir("trash")
	return trash.Options{Dir: dir, Command: "trash"}, err
}

// StateDir is a folder of pith's own for what people said about sessions. It is
// not created here.
func (a *Places) StateDir() (string, error) {
	if base := a.Env.Getenv("XDG_STATE_HOME"); filepath.IsAbs(base) { // the specification has relative ones ignored
		return filepath.Join(base, "pith"), nil
	}
	if home := a.Env.Home(); home != "" && runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		return filepath.Join(home, ".local", "state", "pith"), nil
	}
	return a.DataDir("state")
}

// OpenMarks opens the marks of sessions, to change them.
func (a *Places) OpenMarks() (*marks.Collection, error) {
	dir, err := a.StateDir()
	if err != nil {
		return nil, err
	}
	return marks.Open(dir)
}

// Marks are what is kept about sessions, for lists: what cannot be read is told
// and counts as none.
func (a *Places) Marks() func(id string) marks.Marks {
	of, err := a.ReadMarks()
	if err != nil {
		if _, nowhere := a.StateDir(); nowhere == nil {
			a.Note("note: pins, archive flags and tags are not known: %v", err)
		}
	}
	return of
}

// ReadMarks are the marks, and none beside an error. It may be called from several
// goroutines.
func (a *Places) ReadMarks() (func(id string) marks.Marks, error) {
	s, err := a.OpenMarks()
	if err != nil {
		return func(string) marks.Marks { return marks.Marks{} }, err
	}
	return s.Of, nil
}

// StateFile is a file of pith's own that keeps answers; "" when there is no
// folder for it.
func (a *Places) StateFile(name string) string {
	dir, err := a.DataDir("state")
	if err != nil {
		return ""
	}
	return filepath.Join(dir, name)
}

// Directory is a directory that a person named, as an absolute path.
func (a *Places) Directory(name string) (string, error) {
	cwd, err := a.Env.Cwd()
	if err != nil {
		cwd = "" // matters for a relative path alone
	}
	dir := sessiondir.ExpandPath(name, cwd)
	if dir == "" {
		return "", exit.Usagef("%q is in a home folder that does not exist", name)
	}
	return dir, nil
}
