package catalog

import (
	"time"

	"github.com/pith-sessions/pith/sessiondir"
)

// Options configure where to look and what to read. The zero value looks where
// pi, Atomic, oh-my-pi and OpenClaw store their sessions.
type Options struct {
	// Dir is a directory that contains the session files of all projects, as
	// --session-dir names it. If it is set, only that directory is searched.
	Dir string
	// Sources are the names of the roots to read; empty for all.
	Sources []string
	// Text fills Info.Text, which costs time and memory.
	Text bool
	// Responses fills Info.Responses, and Touched fills Info.Touched. The index
	// remembers both.
	Responses, Touched bool
	// IncludeInternal also lists sessions that a program made for its own use.
	IncludeInternal bool
	// Index remembers facts between lists. If it is nil, every list reads all
	// files.
	Index *Index
	// Omit is called before the facts of an indexed session are decoded, with
	// its id and a time that is at most a millisecond after Info.Modified. A
	// session for which it returns true is not yielded.
	Omit func(id string, used time.Time) bool
	// IDs is called once, after the last session, with the ids that function
	// IDs would return for the same options.
	IDs func(ids []string)
	// Progress is called after each file, on the goroutine that ranges.
	Progress func(done, total int)
	// Skipped is called, on the goroutine that ranges, for each file or
	// directory that could not be read. A file that is not a session is not
	// reported.
	Skipped func(path string, err error)

	// Getenv reads the environment. Nil means os.Getenv.
	Getenv func(name string) string
	// Home is the user's home directory. Empty means the one of the system.
	Home string

	open opener // opens session files; nil means os.Open
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

// expand makes a path absolute. It returns "" for a path in a home directory
// that does not exist.
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
