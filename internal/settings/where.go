package settings

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A Where says where the files are. Empty folders have none.
type Where struct {
	// Getenv reads a variable of the environment; nil means os.Getenv.
	Getenv func(string) string
	Home   string // the user's home folder
	// AgentDir is pi's own folder.
	AgentDir string
	// Cwd is the working directory of the project.
	Cwd string
}

// An owner says whose file it is.
type owner uint8

const (
	atomic owner = iota + 1
	piUser
	piProject
	pith
)

// A file is one that may hold settings.
type file struct {
	path  string
	owner owner
}

const fileName = "settings.json"

// files are those to read, in their order.
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

// atomicDir is Atomic's own folder. A user who names pi's folder means that one
// alone.
func (w Where) atomicDir() string {
	if dir := w.env("ATOMIC_CODING_AGENT_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	if w.env("PI_CODING_AGENT_DIR") != "" {
		return ""
	}
	return within(w.Home, ".atomic", "agent")
}

// OwnFile is the path of pith's own file, whether it exists or not; "" when
// there is no folder for it.
func (w Where) OwnFile() string {
	return within(w.Own("XDG_CONFIG_HOME", ".config"), fileName)
}

// Own is pith's folder among those of other programs: in the folder that an XDG
// variable names, in the place that Windows and macOS have for programs, or else
// in a folder below the user's home; "" when there is none of these.
func (w Where) Own(variable string, below ...string) string {
	return within(w.programs(runtime.GOOS, variable, below), "pith")
}

func (w Where) programs(system, variable string, below []string) string {
	if dir := w.env(variable); filepath.IsAbs(dir) { // the specification has relative ones ignored
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

// within is a path below a folder; "" when there is no folder.
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

// near reports whether a folder that a project's file names is inside the project
// or the user's home, links followed: a project that comes from anywhere must not
// decide to put conversations where others read them.
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

// real is a path without links, as far as it exists.
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
