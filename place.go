package pith

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Place is where sessions live.
type Place struct {
	Dir string
	// Flat means that all projects share the folder. Otherwise each has a
	// subfolder named after its working directory, as pi names it.
	Flat bool
}

// For is the folder of a project's sessions.
func (p Place) For(cwd string) string {
	if p.Flat {
		return p.Dir
	}
	return filepath.Join(p.Dir, format.ProjectDir(cwd))
}

// DefaultPlace is where pi keeps the sessions of a project: what the
// environment says, then pi's settings, then ~/.pi/agent/sessions. The first of
// these variables counts: PITH_SESSION_DIR, PI_CODING_AGENT_SESSION_DIR (both
// flat), PI_SESSIONS_DIR, PI_CODING_AGENT_DIR.
func DefaultPlace(cwd string) Place {
	for _, name := range []string{"PITH_SESSION_DIR", "PI_CODING_AGENT_SESSION_DIR"} {
		if dir := os.Getenv(name); dir != "" {
			return Place{ExpandPath(dir, cwd), true}
		}
	}
	if dir := os.Getenv("PI_SESSIONS_DIR"); dir != "" {
		return Place{Dir: ExpandPath(dir, cwd)}
	}
	agent := AgentDir()
	for _, settings := range []string{filepath.Join(cwd, ".pi", "settings.json"), filepath.Join(agent, "settings.json")} {
		if dir := sessionDirSetting(settings); dir != "" {
			return Place{ExpandPath(dir, cwd), true}
		}
	}
	return Place{Dir: filepath.Join(agent, "sessions")}
}

// AgentDir is pi's own folder: PI_CODING_AGENT_DIR, or ~/.pi/agent.
func AgentDir() string {
	if dir := os.Getenv("PI_CODING_AGENT_DIR"); dir != "" {
		return ExpandPath(dir, workingDir())
	}
	return ExpandPath("~/.pi/agent", "")
}

func sessionDirSetting(file string) string {
	data, err := os.ReadFile(file)
	if err != nil || !jsonl.Valid(data) {
		return ""
	}
	raw, _ := jsonl.Lookup(data, "sessionDir")
	dir, _ := jsonl.String(raw)
	return dir
}

// ExpandPath makes a path absolute: a leading ~ is the home folder, a relative
// path starts at base.
func ExpandPath(path, base string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	if base == "" {
		base = workingDir()
	}
	return filepath.Join(base, path)
}
