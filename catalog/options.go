package catalog

import (
	"os"
	"path/filepath"
	"strings"
)

// Options say where to look and what to read. The zero value looks where pi,
// Atomic, oh-my-pi and OpenClaw keep their sessions.
type Options struct {
	// Dir is a folder that holds session files of all projects side by side, as
	// --session-dir names it. If it is set, nothing else is looked at.
	Dir string
	// Text fills Info.Text, which costs time and memory.
	Text bool
	// IncludeInternal lists also the sessions that a machinery made for itself.
	IncludeInternal bool
	// Progress is called after each file, from the goroutine that ranges.
	Progress func(done, total int)
	// Skipped is called, from the goroutine that ranges, for each file or folder
	// that could not be read. A file that is no session is not reported.
	Skipped func(path string, err error)

	// Getenv reads the environment. Nil means os.Getenv.
	Getenv func(name string) string
	// Home is the user's home folder. Empty means os.UserHomeDir.
	Home string
}

func (o *Options) env(name string) string {
	if o.Getenv != nil {
		return o.Getenv(name)
	}
	return os.Getenv(name)
}

// home is the user's home folder, "" if there is none.
func (o *Options) home() string {
	if o.Home != "" {
		return o.Home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// expand makes a path absolute: a leading ~ is the home folder, a relative path
// starts at base, or at the working directory of the process for "".
func (o *Options) expand(path, base string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		if home := o.home(); home != "" {
			return filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

func (o *Options) skip(path string, err error) {
	if o.Skipped != nil {
		o.Skipped(path, err)
	}
}

func (o *Options) progress(done, total int) {
	if o.Progress != nil {
		o.Progress(done, total)
	}
}
