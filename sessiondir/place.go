// Package sessiondir knows where sessions live: which folder a project's sessions
// are kept in, which file of a folder is the newest or has an id, and what a
// session's header says. It reads heads and tails of files and writes nothing.
//
// It is below package pith, which opens what is found here.
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

// A Place is where sessions live. The zero Place is nowhere.
type Place struct {
	Dir string
	// Flat means that all projects share the folder. Otherwise each has a
	// subfolder named after its working directory, as pi names it.
	Flat bool
}

// For is the folder of a project's sessions.
func (p Place) For(cwd string) string {
	if p.Flat || p.Dir == "" {
		return p.Dir
	}
	return filepath.Join(p.Dir, format.ProjectDir(cwd))
}

// An Environment is what places depend on. The zero value is that of the process.
type Environment struct {
	Getenv func(string) string // nil means os.Getenv
	Home   string              // "" means the user's home folder
}

// Place is where pi keeps the sessions of a project: what the
// environment says, then the setting sessionDir of pith, of the project or of pi,
// then ~/.pi/agent/sessions. The first of these variables counts:
// PITH_SESSION_DIR, PI_CODING_AGENT_SESSION_DIR (both flat), PI_SESSIONS_DIR,
// PI_CODING_AGENT_DIR. Without any of them and without a home folder it is
// nowhere. It is where Atomic keeps them if the user works with Atomic: if the
// environment says where that is, if there is Atomic and no pi, or if the newest
// session of the project is one of Atomic.
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

// atomicPlace is where Atomic keeps sessions, if the user works with Atomic.
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

// newest is when a session file in a folder was last written; the zero time if there
// is none.
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

// Var is the value of a variable.
func (e Environment) Var(name string) string {
	if e.Getenv != nil {
		return e.Getenv(name)
	}
	return os.Getenv(name)
}

// HomeDir is the user's home folder; "" when there is none. Without HOME it is
// the one that the system has for the user, as for pi.
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

// AgentDir is pi's own folder: PI_CODING_AGENT_DIR, or ~/.pi/agent; "" when there
// is no home folder.
func (e Environment) AgentDir() string {
	if dir := e.Var("PI_CODING_AGENT_DIR"); dir != "" {
		return e.Expand(dir, workingDir())
	}
	return e.Expand("~/.pi/agent", "")
}

// DataDir is pith's own folder among what a user's programs keep, in
// XDG_DATA_HOME where that is set; "" when there is no home folder. It may not
// exist yet.
func (e Environment) DataDir() string {
	return settings.Where{Getenv: e.Var, Home: e.HomeDir()}.Own("XDG_DATA_HOME", ".local", "share")
}

// ExpandPath makes a path absolute: a leading ~ is the home folder, a relative
// path starts at base, or at the working directory of the process for "". It is
// "" for a path in a home folder that does not exist.
func ExpandPath(path, base string) string { return Environment{}.Expand(path, base) }

// Expand does what ExpandPath does, in this environment.
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
