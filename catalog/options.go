package catalog

import "github.com/pith-sessions/pith/sessiondir"

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
	// Index remembers facts between lists. Nil means that every list reads its
	// files.
	Index *Index
	// Progress is called after each file, from the goroutine that ranges.
	Progress func(done, total int)
	// Skipped is called, from the goroutine that ranges, for each file or folder
	// that could not be read. A file that is no session is not reported.
	Skipped func(path string, err error)

	// Getenv reads the environment. Nil means os.Getenv.
	Getenv func(name string) string
	// Home is the user's home folder. Empty means the one that the system names.
	Home string

	open opener // of session files; nil means os.Open
}

func (o *Options) opener() opener {
	if o.open == nil {
		return openFile
	}
	return o.open
}

func (o *Options) environment() sessiondir.Environment {
	return sessiondir.Environment{Getenv: o.Getenv, Home: o.Home}
}

func (o *Options) env(name string) string { return o.environment().Var(name) }

// expand makes a path absolute; "" for one in a home folder that does not exist.
func (o *Options) expand(path, base string) string { return o.environment().Expand(path, base) }

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
