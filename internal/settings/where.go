package settings

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A Where determines the locations of the files. An empty directory has none.
type Where struct {
	// Getenv reads an environment variable; nil means os.Getenv.
	Getenv func(string) string
	Home   string // the user's home directory
	// AgentDir is pi's own directory.
	AgentDir string
	// Cwd is the working directory of the project.
	Cwd string
}

// An owner identifies whose file it is.
type owner uint8

const (
	atomic owner = iota + 1
	piUser
	piProject
	pith
)

// A file may contain settings.
type file struct {
	path  string
	owner owner
}

const fileName = "settings.json"

// files returns the files to read, in order.
func (w Where) files() []file {
	user := file{within(w.AgentDir, fileName), piUser}
	project := file{within(w.Cwd, ".pi", fileName), piProject}
	var files []file
	if !exists(user.path) {
		files = append(files, file{within(w.atomicDir(), fileName), atomic})
	}
	if !exists(project.path) {
		files = append(files, file{within(w.Cwd, ".atomic", fileName), atomic})
	}
	return append(files, user, project, file{w.OwnFile(), pith})
}

// atomicDir returns Atomic's own directory. A user who sets pi's directory
// means only that one.
func (w Where) atomicDir() string {
	if dir := w.env("ATOMIC_CODING_AGENT_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	if w.env("PI_CODING_AGENT_DIR") != "" {
		return ""
	}
	return within(w.Home, ".atomic", "agent")
}

// OwnFile returns the path of pith's own file, whether it exists or not, or ""
// if it has no directory.
func (w Where) OwnFile() string {
	return within(w.Own("XDG_CONFIG_HOME", ".config"), fileName)
}

// Own returns pith's own directory: in the directory that an XDG variable
// names, in the place that Windows and macOS have for programs, or otherwise in
// a directory below the user's home; "" if none of these is known.
func (w Where) Own(variable string, below ...string) string {
	return within(w.programs(runtime.GOOS, variable, below), "pith")
}

func (w Where) programs(system, variable string, below []string) string {
	if dir := w.env(variable); filepath.IsAbs(dir) { // the specification ignores relative ones
		return dir
	}
	switch system {
	case "windows":
		return w.env("APPDATA")
	case "darwin":
		return within(w.Home, "Library", "Application Support")
	}
	return within(w.Home, below...)
}

func (w Where) env(name string) string {
	if w.Getenv != nil {
		return w.Getenv(name)
	}
	return os.Getenv(name)
}

// within returns a path below a directory, or "" if dir is empty.
func within(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}

func exists(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(path)
	return err == nil
}

// near reports whether a directory from a project's file is inside the project
// or the user's home, with links resolved: a project of unknown origin must not
// direct conversations to a place where others can read them.
func (w Where) near(dir string) bool {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		dir = filepath.Join(w.Home, rest)
	} else if !filepath.IsAbs(dir) {
		dir = filepath.Join(w.Cwd, dir)
	}
	dir = real(filepath.Clean(dir))
	for _, base := range []string{w.Cwd, w.Home} {
		if base == "" {
			continue
		}
		if below, err := filepath.Rel(real(base), dir); err == nil && filepath.IsLocal(below) {
			return true
		}
	}
	return false
}

// real returns a path without links, as far as it exists.
func real(path string) string {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if found, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(found, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
