// Package sessiondir locates sessions: the directory of a project's sessions,
// the newest file in a directory or the one with an id, and a session's header.
// It reads only the heads and tails of files and writes nothing.
//
// It is below package pith, which opens the files found here.
//
// Stability: outside the core. Its exported names may still change.
package sessiondir

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/settings"
)

// A Place is a location of sessions. The zero Place means none.
type Place struct {
	Dir string
	// Flat means that all projects share the directory. Otherwise each has a
	// subdirectory named after its working directory, as in pi.
	Flat bool
}

// For returns the directory of a project's sessions.
func (p Place) For(cwd string) string {
	if p.Flat || p.Dir == "" {
		return p.Dir
	}
	return filepath.Join(p.Dir, format.ProjectDir(cwd))
}

// An Environment determines places. The zero value is that of the process.
type Environment struct {
	Getenv func(string) string // nil means os.Getenv
	Home   string              // "" means the user's home directory
}

// Place returns the location of a project's sessions, as in pi: as set in the
// environment, then by the setting sessionDir of pith, the project or pi, then
// ~/.pi/agent/sessions. The first of these variables counts: PITH_SESSION_DIR,
// PI_CODING_AGENT_SESSION_DIR (both flat), PI_SESSIONS_DIR,
// PI_CODING_AGENT_DIR. Without any of them and without a home directory it
// returns the zero Place. It returns Atomic's location if the user works with
// Atomic: if the environment sets it, if Atomic is installed and pi is not, or
// if the newest session of the project is an Atomic session.
func (e Environment) Place(cwd string) Place {
	for _, name := range []string{"PITH_SESSION_DIR", "PI_CODING_AGENT_SESSION_DIR"} {
		if dir := e.Var(name); dir != "" {
			return Place{e.Expand(dir, cwd), true}
		}
	}
	if dir := e.Var("PI_SESSIONS_DIR"); dir != "" {
		return Place{Dir: e.Expand(dir, cwd)}
	}
	agent := e.AgentDir()
	set := settings.Read(settings.Where{Getenv: e.Var, Home: e.HomeDir(), AgentDir: agent, Cwd: cwd})
	if set.SessionDir != "" {
		return Place{e.Expand(set.SessionDir, cwd), true}
	}
	if place, ok := e.atomicPlace(cwd, agent); ok {
		return place
	}
	if agent == "" {
		return Place{}
	}
	return Place{Dir: filepath.Join(agent, "sessions")}
}

// atomicPlace returns the location of Atomic's sessions, if the user works with
// Atomic.
func (e Environment) atomicPlace(cwd, agent string) (Place, bool) {
	if e.Var("PI_CODING_AGENT_DIR") != "" {
		return Place{}, false
	}
	if dir := e.Var("ATOMIC_CODING_AGENT_SESSION_DIR"); dir != "" {
		return Place{e.Expand(dir, cwd), true}, true
	}
	if dir := e.Var("ATOMIC_CODING_AGENT_DIR"); dir != "" {
		return Place{Dir: filepath.Join(e.Expand(dir, cwd), "sessions")}, true
	}
	dir := e.Expand("~/.atomic", "")
	if !isFolder(dir) {
		return Place{}, false
	}
	atomic := Place{Dir: filepath.Join(dir, "agent", "sessions")}
	if !isFolder(e.Expand("~/.pi", "")) {
		return atomic, true
	}
	pi := Place{Dir: filepath.Join(agent, "sessions")}
	return atomic, newest(atomic.For(cwd)).After(newest(pi.For(cwd)))
}

// newest returns the modification time of the newest session file in a
// directory, or the zero time.
func newest(dir string) (t time.Time) {
	files, err := sessionFiles([]string{dir})
	if err != nil || len(files) == 0 {
		return time.Time{}
	}
	return files[0].modified
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return path != "" && err == nil && info.IsDir()
}

// Var returns the value of a variable.
func (e Environment) Var(name string) string {
	if e.Getenv != nil {
		return e.Getenv(name)
	}
	return os.Getenv(name)
}

// HomeDir returns the user's home directory, or "". Without HOME it is the one
// that the system has for the user, as in pi.
func (e Environment) HomeDir() string {
	if e.Home != "" {
		return e.Home
	}
	if home, err := os.UserHomeDir(); err == nil {
		return home
	}
	if u, err := user.Current(); err == nil {
		return u.HomeDir
	}
	return ""
}

// AgentDir returns pi's own directory: PI_CODING_AGENT_DIR or ~/.pi/agent, or
// "" without a home directory.
func (e Environment) AgentDir() string {
	if dir := e.Var("PI_CODING_AGENT_DIR"); dir != "" {
		return e.Expand(dir, workingDir())
	}
	return e.Expand("~/.pi/agent", "")
}

// DataDir returns pith's own data directory, in XDG_DATA_HOME if that is set,
// or "" without a home directory. It may not exist yet.
func (e Environment) DataDir() string {
	return settings.Where{Getenv: e.Var, Home: e.HomeDir()}.Own("XDG_DATA_HOME", ".local", "share")
}

// ExpandPath makes a path absolute: a leading ~ means the home directory, and a
// relative path starts at base, or at the working directory of the process for
// "". It returns "" for a path in the home directory if that is unknown.
func ExpandPath(path, base string) string { return Environment{}.Expand(path, base) }

// Expand is ExpandPath in this environment.
func (e Environment) Expand(path, base string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		home := e.HomeDir()
		if home == "" {
			return ""
		}
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	if base == "" {
		base = workingDir()
	}
	return filepath.Join(base, path)
}

func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
