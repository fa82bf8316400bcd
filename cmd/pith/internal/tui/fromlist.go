package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/sessiondir"
)

// newFromList begins a new session of the project, whatever is shown.
func (a *App) newFromList() tea.Cmd {
	if a.open != nil {
		a.dropPicker()
		a.closeTree()
		return a.newSession()
	}
	return a.work("beginning a session", func(context.Context) done {
		options := a.c.engine()
		if options.Dir = a.c.Catalog.Dir; options.Dir == "" {
			env := sessiondir.Environment{Getenv: a.c.Catalog.Getenv, Home: a.c.Catalog.Home}
			options.Dir = env.Place(a.c.Cwd).For(a.c.Cwd)
		}
		s, err := pith.Create(a.c.Cwd, options)
		if err != nil {
			return done{err: err}
		}
		o, err := a.begin(s)
		if err != nil {
			return done{err: errors.Join(err, s.Close())}
		}
		return done{note: "a new session", then: func(a *App) tea.Cmd { return a.sessionOpened(openedMsg{open: o}) }}
	})
}

// forkFromList opens a session and asks at which message it is to be forked.
func (a *App) forkFromList(path string) tea.Cmd {
	a.next = (*App).showForks
	return a.openSession(path, "")
}

// cloneFromList makes a new session of where another one stands, and opens it.
func (a *App) cloneFromList(path string) tea.Cmd {
	return a.work("cloning", func(context.Context) done {
		var copied string
		err := a.withSession(path, a.c.engine(), func(s *pith.Session) error {
			x, err := s.Extract(s.LeafID())
			if err != nil {
				return err
			}
			if !x.Written() {
				return errors.Join(errNothingSaid, x.Close())
			}
			copied = x.File()
			return x.Close()
		})
		if err != nil {
			return done{err: err}
		}
		return done{note: "cloned to a new session", then: func(a *App) tea.Cmd { return a.openSession(copied, "") }}
	})
}

var errNothingSaid = errors.New("nothing was said up to there: there is nothing to clone")

// exportFromList writes the path to where a session stands to a file.
func (a *App) exportFromList(path string) tea.Cmd {
	return a.work("exporting", func(context.Context) done {
		options := a.c.engine()
		options.ReadOnly = true
		var d done
		err := a.withSession(path, options, func(s *pith.Session) error {
			d = a.exported(s, s.LeafID(), "")
			return d.err
		})
		d.err = err
		return d
	})
}

// withSession opens a session for a moment.
func (a *App) withSession(path string, o pith.Options, do func(*pith.Session) error) error {
	s, err := pith.Open(path, o)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}
