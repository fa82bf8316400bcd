package tui

import (
	"context"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/redact"
	"github.com/pith-sessions/pith/sessiondir"
)

// A Config contains the configuration of the app.
type Config struct {
	// Cwd is the project.
	Cwd string
	// Catalog selects the sessions.
	Catalog catalog.Options
	// Words returns the search index of session texts; it is called at the
	// first search. If it or its result is nil, files are read.
	Words func() *search.Index
	// Force writes to sessions even if their own program seems to have them
	// open.
	Force bool
	// Marks opens the marks of sessions: pins, archive flags, tags. Nil means
	// that there are none.
	Marks func() (*marks.Collection, error)
	// Secrets are the places of this user's secrets, which are redacted in
	// exports; the project of the session is added to them.
	Secrets redact.Sources
	// Trash configures the trash for deleted sessions.
	Trash trash.Options
	// Setup reads the configuration for a project.
	Setup func(cwd string) *userconfig.Setup
	// Remembered returns the replacement that was chosen for a working
	// directory that is gone; Remember stores it. Both may be nil.
	Remembered func(cwd string) (string, bool)
	Remember   func(cwd, instead string)

	// Demo writes the demo sessions and returns how to list them. They are
	// shown while the user has no sessions. Nil means that there are none.
	Demo func(context.Context) (catalog.Options, error)

	Keys *keys.Map
	Home string
	// Colour is false if the user wants no colors. Dark is the assumed
	// background until the terminal reports it.
	Colour, Dark bool

	// Open is the session to start with; "" starts with the picker. Entry is
	// the entry to show in it, Tree starts with its tree.
	Open, Entry string
	Tree        bool
	// Pick shows the list as a chooser: the chosen sessions are in the
	// [Farewell]. All starts with all projects, Query with a search.
	Pick, All bool
	Query     string
	// Handover is the command that opens a session in another agent, as words;
	// the session file is appended. Empty means pi.
	Handover []string
	// HandoverDir is for files that are given to another agent by path.
	HandoverDir string
	// Editor is the user's own editor, as words, or "" if none is set.
	Editor string
	// AtExit registers a function to call before the process ends without
	// waiting for Run to return, until the returned function is called. It may
	// be nil.
	AtExit func(do func()) (forget func())
	// Interrupts passes every Ctrl+C that reaches the process to take, until
	// the returned function is called. It may be nil.
	Interrupts func(take func() bool) (restore func())
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// engine returns the options with which sessions are opened.
func (c *Config) engine() pith.Options {
	return pith.Options{Now: c.Now, Force: c.Force}
}

// removal says how the session in a file goes to the trash.
func (c *Config) removal(path string) ops.RemoveParams {
	return ops.RemoveParams{Session: catalog.Ref{Path: path}, Engine: c.engine(), Catalog: c.Catalog, Trash: c.Trash}
}

// app returns what the use cases work on.
func (c *Config) app() *ops.App {
	return &ops.App{
		Environment: sessiondir.Environment{Home: c.Catalog.Home, Getenv: c.Catalog.Getenv}, Dir: c.Catalog.Dir, Force: c.Force, Now: c.Now,
		Index: func() *catalog.Index { return c.Catalog.Index }, Words: c.Words, Marks: c.Marks, Trash: func() (trash.Options, error) { return c.Trash, nil }, Secrets: c.Secrets,
	}
}

func (c *Config) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}
