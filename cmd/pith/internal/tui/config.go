package tui

import (
	"context"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/redact"
)

// A Config is what the app runs with.
type Config struct {
	// Cwd is the project.
	Cwd string
	// Catalog says where sessions are looked for.
	Catalog catalog.Options
	// Words is the index of what stands in sessions; it is asked for when texts are
	// searched first. Nil, and a nil index, mean that files are read.
	Words func() *search.Index
	// Tables is a folder that keeps where the entries of large sessions are; see
	// pith.Options.
	Tables string
	// Force writes to sessions although their own program seems to have them open.
	Force bool
	// ReadOnly changes no session and makes none: they are others'.
	ReadOnly bool
	// Who is whose session a file is, in a team; nil means that there is none.
	Who func(path string) string
	// Beside runs beside the screen until its context ends, and brings sessions up to date
	// that come from elsewhere. What it tells is shown; away says that they cannot be
	// had at present. Nil means that all sessions are here.
	Beside func(ctx context.Context, told func(text string, away bool))
	// Marks opens what is kept about sessions: pins, archive flags, tags. Nil means
	// that nothing is.
	Marks func() (*marks.Collection, error)
	// Secrets are where this user's secrets stand, which are replaced in what is
	// exported; the project of the session is added to them.
	Secrets redact.Sources
	// Trash takes deleted sessions.
	Trash trash.Options
	// Setup reads what is configured for a project.
	Setup func(cwd string) *userconfig.Setup
	// Remembered is the answer that was given for a working directory that is gone;
	// Remember keeps it. Both may be nil.
	Remembered func(cwd string) (string, bool)
	Remember   func(cwd, instead string)

	// Demo writes sample sessions and returns their folder. Nil means that none are
	// offered.
	Demo func() (dir string, err error)

	Keys *keys.Map
	Home string
	// Colour is false when the user wants none. Dark is what the background is
	// taken for until the terminal says.
	Colour, Dark bool

	// Open is the session to begin with; "" begins with the picker. Entry is the
	// place to show in it, Tree begins with its tree.
	Open, Entry string
	Tree        bool
	// Handover is the command that opens a session in another agent, as words; the
	// session's file is added to it. Empty means pi.
	Handover []string
	// Editor is the user's own editor, as words; "" when none is set.
	Editor string
	// AtExit has a function called before the process ends without waiting for Run
	// to return, until the function that it returns is called. It may be nil.
	AtExit func(do func()) (forget func())
	// Interrupts has every Ctrl+C that reaches the process offered to take, until the
	// function that it returns is called. It may be nil.
	Interrupts func(take func() bool) (restore func())
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// engine are the options with which sessions are opened.
func (c *Config) engine() pith.Options {
	return pith.Options{Now: c.Now, Tables: c.Tables, Force: c.Force, ReadOnly: c.ReadOnly}
}

// agentWords is the command that opens a session in another agent.
func (c *Config) agentWords() []string {
	if len(c.Handover) == 0 {
		return []string{"pi", "--session"}
	}
	return c.Handover
}

// agentName is what the other agent is called.
func (c *Config) agentName() string { return filepath.Base(c.agentWords()[0]) }

func (c *Config) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}
