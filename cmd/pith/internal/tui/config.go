package tui

import (
	"context"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
)

// A Config contains the configuration of the app.
type Config struct {
	// Cwd is the project.
	Cwd string
	// App is what the use cases work on.
	App *ops.App
	// Setup reads the configuration for a project.
	Setup func(cwd string) *userconfig.Setup
	// Remembered returns the replacement that was chosen for a working
	// directory that is gone; Remember stores it. Both may be nil.
	Remembered func(cwd string) (string, bool)
	Remember   func(cwd, instead string)

	// Demo writes the demo sessions and returns their directory. They are shown
	// while the user has no sessions. Nil means that there are none.
	Demo func(context.Context) (dir string, err error)

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
}

// engine returns the options with which sessions are opened.
func (c *Config) engine() pith.Options {
	return pith.Options{Now: c.App.Now, Force: c.App.Force}
}

func (c *Config) now() time.Time {
	if c.App.Now != nil {
		return c.App.Now()
	}
	return time.Now()
}
