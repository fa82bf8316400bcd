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
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

// Places locates sessions and pith's own files.
type Places struct {
	*console.Console
	SessionDir string // from --session-dir; "" for the default directories

	Sources []string // from --source: the agents whose sessions a command reads; empty for all

	exposureTold bool // the note about an exposed cache directory was printed
	Force        bool // write even if another program seems to have a session open
}

// Cwd returns the working directory, or an error that explains what to do
// (pitfall 176).
func (a *Places) Cwd() (string, error) {
	dir, err := a.Env.Cwd()
	if err != nil {
		return "", fmt.Errorf("cannot find the current directory (deleted?); change to another one: %v", ops.Cause(err))
	}
	return dir, nil
}

// DataDir returns a subdirectory of pith's data directory, the one that
// trash.Default uses too. It does not create it.
func (a *Places) DataDir(name string) (string, error) {
	dir := a.Environment().DataDir()
	if dir == "" || a.Env.Home() == "" && !filepath.IsAbs(a.Env.Getenv("XDG_DATA_HOME")) {
		return "", errors.New("no data directory: set HOME or XDG_DATA_HOME")
	}
	return filepath.Join(dir, name), nil
}

// Environment returns the environment for the library.
func (a *Places) Environment() sessiondir.Environment {
	return sessiondir.Environment{Getenv: a.Env.Getenv, Home: a.Env.Home()}
}

// CacheDir returns the directory of pith's caches. It is "" if the environment
// names none, or one that other users could write to, which is noted once.
// Commands work without it.
func (a *Places) CacheDir() string {
	dir, err := a.NeedCacheDir()
	if err != nil && !errors.Is(err, ErrNoCache) && !a.exposureTold {
		a.exposureTold = true
		a.Note("note: %v", err)
	}
	return dir
}

// NeedCacheDir is like CacheDir but for a command that needs it. It does not
// take a home directory that only the system knows: a command that runs without
// one must leave no files.
func (a *Places) NeedCacheDir() (string, error) {
	if a.Env.Home() == "" && a.Env.Getenv("PITH_CACHE_DIR") == "" && a.Env.Getenv("XDG_CACHE_HOME") == "" {
		return "", ErrNoCache
	}
	dir := catalog.CacheDir(catalog.Options{Getenv: a.Env.Getenv, Home: a.Env.Home()})
	if dir == "" {
		return "", ErrNoCache
	}
	if err := cache.CheckPrivate(dir); err != nil {
		return "", err
	}
	return dir, nil
}

// ErrNoCache means that there is no directory for the indexes.
var ErrNoCache = errors.New("no cache directory: set HOME, XDG_CACHE_HOME or PITH_CACHE_DIR")

// CheckSessionDir returns an error if --session-dir does not name a directory.
func (a *Places) CheckSessionDir() error {
	if a.SessionDir == "" {
		return nil
	}
	info, err := os.Stat(a.SessionDir)
	switch {
	case err != nil:
		return fmt.Errorf("session directory %s: %w", a.SessionDir, ops.Cause(err))
	case !info.IsDir():
		return exit.Usagef("--session-dir %s is not a directory", a.SessionDir)
	}
	return nil
}

// ProjectDir returns the directory of a new session as pi would record it:
// absolute and without symbolic links.
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
		return "", exit.Missingf("no such directory: %s", dir)
	}
	if !info.IsDir() {
		return "", exit.Usagef("%s is not a directory", dir)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir, nil
}

// Trash returns the location of the trash.
func (a *Places) Trash() (trash.Options, error) {
	dir, err := a.DataDir("trash")
	return trash.Options{Dir: dir, Command: "trash"}, err
}

// StateDir returns the directory of pith's state: pins, archive flags and tags.
// It does not create it.
func (a *Places) StateDir() (string, error) {
	if base := a.Env.Getenv("XDG_STATE_HOME"); filepath.IsAbs(base) { // the specification ignores relative ones
		return filepath.Join(base, "pith"), nil
	}
	if home := a.Env.Home(); home != "" && runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		return filepath.Join(home, ".local", "state", "pith"), nil
	}
	return a.DataDir("state")
}

// OpenMarks opens the pins and tags of sessions for changes.
func (a *Places) OpenMarks() (*marks.Collection, error) {
	dir, err := a.StateDir()
	if err != nil {
		return nil, err
	}
	return marks.Open(dir)
}

// StateFile returns the path of a file in pith's state directory; "" if there
// is no such directory.
func (a *Places) StateFile(name string) string {
	dir, err := a.DataDir("state")
	if err != nil {
		return ""
	}
	return filepath.Join(dir, name)
}

// Directory returns the absolute path of a directory that a person named.
func (a *Places) Directory(name string) (string, error) {
	dir := sessiondir.ExpandPath(name, a.Env.Here())
	if dir == "" {
		return "", exit.Usagef("%q is in a home directory that does not exist", name)
	}
	return dir, nil
}
