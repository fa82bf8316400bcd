package tui

import (
	"errors"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
)

// watchEvery is how often it is looked whether others wrote to the session.
const watchEvery = 500 * time.Millisecond

// watched tells that others have written, or that nothing happened.
type watched struct {
	open  *opened
	grown bool
	err   error
}

// watch waits, and then looks whether the file of the session has changed. It
// asks for the size alone unless it has.
func (a *App) watch() tea.Cmd {
	o := a.open
	return tea.Tick(watchEvery, func(time.Time) tea.Msg {
		if o == nil || o.live.Busy() != agent.Idle {
			return watched{open: o}
		}
		s := o.session()
		info, err := os.Stat(s.File())
		if err != nil || info.Size() == o.seen {
			return watched{open: o}
		}
		o.seen = info.Size()
		n, err := s.Refresh()
		if n > 0 {
			err = errors.Join(err, follow(s))
		}
		return watched{o, n > 0, err}
	})
}

// follow goes on behind what others wrote, if they went on from where the
// session stands. Who chose another place stays there.
func follow(s *pith.Session) error {
	stood := s.LeafID()
	s.Follow()
	if stood == "" {
		return nil
	}
	common, err := s.CommonAncestor(stood, s.LeafID())
	if err != nil || common == stood {
		return err
	}
	return s.Branch(stood)
}

func (a *App) takeWatched(msg watched) tea.Cmd {
	cmds := []tea.Cmd{a.watch()}
	if msg.open == nil || msg.open != a.open {
		return cmds[0]
	}
	if msg.err != nil {
		cmds = append(cmds, a.sayError(msg.err))
	}
	if msg.grown {
		cmds = append(cmds, a.refresh(false), a.renewTree())
	}
	return tea.Batch(cmds...)
}
