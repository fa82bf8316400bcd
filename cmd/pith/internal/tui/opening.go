package tui

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/sessiondir"
)

// opened is a session that was opened in the background, ready to be shown.
type opened struct {
	session *live.Session
	source  *live.Turns
	branch  string              // the end of the shown branch; "" for the leaf
	place   *conversation.Place // to be shown; nil for the end
	at      found
	gone    string // the working directory, if it does not exist
	err     error
}

// found describes what to show of an opened session.
type found struct {
	entry string // "" for none
	query string // the search that found it; "" for none
	stay  bool   // show the end, although there is a query
}

// openSession opens a session in the background. Viewing a session whose
// working directory is gone asks nothing: see inCwd.
func (a *App) openSession(path string, at found) tea.Cmd {
	return a.background.command(func(ctx context.Context) tea.Msg {
		cwd, err := readHeader(path)
		if err != nil {
			return opened{err: err}
		}
		gone := ""
		if isGone(cwd) {
			instead, known := "", false
			if a.c.Remembered != nil {
				instead, known = a.c.Remembered(cwd)
			}
			if known {
				cwd = instead
			} else {
				gone = cwd
			}
		}
		msg := a.openIn(ctx, path, cwd, at.entry, gone)
		msg.at = at
		return msg
	})
}

// openIn opens a session that continues in a working directory, which may be
// gone.
func (a *App) openIn(ctx context.Context, path, cwd, entry, gone string) opened {
	s, err := live.Open(ctx, path, cwd, a.liveOptions())
	msg := ready(s, entry, err)
	msg.gone = gone
	return msg
}

// inCwd runs a function that needs the working directory of the session. If
// that is gone, the user is asked once where to continue, the answer is
// remembered, and the session is opened there (pitfall 151). otherwise is
// called if there is no answer.
func (a *App) inCwd(then, otherwise func() tea.Cmd) tea.Cmd {
	gone := a.chat.gone
	if gone == "" {
		return then()
	}
	path, entry := a.chat.open.Current().File(), a.chat.branch
	a.ask(question{
		title: "The project directory is missing: " + gone, answers: []string{"Continue in " + a.c.Cwd, "Cancel"}, unanswered: otherwise,
		then: func(answer int) tea.Cmd {
			if answer != 0 {
				return otherwise()
			}
			a.next = then
			return tea.Sequence(a.leave(), a.background.command(func(ctx context.Context) tea.Msg {
				if a.c.Remember != nil {
					a.c.Remember(gone, a.c.Cwd)
				}
				return a.openIn(ctx, path, a.c.Cwd, entry, "")
			}))
		},
	})
	return nil
}

// liveOptions returns the options with which sessions are opened.
func (a *App) liveOptions() live.Options {
	return live.Options{
		Engine: a.c.engine(), Setup: a.c.Setup, Home: a.c.Home, Go: a.background.run,
		Event: func(s *live.Session, e agent.Event) { a.send(happened{s, e}) },
	}
}

// ready reads the part of a session that is shown first, at an entry or at the
// end. An entry of an abandoned branch is shown there; the leaf does not move.
func ready(s *live.Session, entry string, err error) opened {
	if err != nil {
		return opened{err: err}
	}
	branch := s.Branch(entry)
	source, err := s.Turns(branch)
	if err != nil {
		return opened{err: errors.Join(err, s.Close())}
	}
	return opened{session: s, source: source, branch: branch, place: source.Holding(entry)}
}

// readHeader returns the working directory of a session.
func readHeader(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read
	h, err := sessiondir.ReadHeader(f)
	if err != nil {
		return "", &pith.FileError{Op: "open", Path: path, Err: err}
	}
	return h.Cwd, nil
}

func isGone(cwd string) bool {
	if cwd == "" {
		return false
	}
	_, err := os.Stat(cwd)
	return errors.Is(err, fs.ErrNotExist)
}

// newSession starts a new session, whatever is shown.
func (a *App) newSession() tea.Cmd {
	if a.chat.open != nil {
		a.dropPicker()
		a.closeTree()
		return a.commands.newSession()
	}
	return a.startSession()
}

func (a *App) startSession() tea.Cmd {
	return a.work("starting a session", func(context.Context) done {
		o := a.liveOptions()
		if o.Engine.Dir = a.c.Catalog.Dir; o.Engine.Dir == "" {
			env := sessiondir.Environment{Getenv: a.c.Catalog.Getenv, Home: a.c.Catalog.Home}
			o.Engine.Dir = env.Place(a.c.Cwd).For(a.c.Cwd)
		}
		s, err := live.Create(a.c.Cwd, o)
		msg := ready(s, "", err)
		if msg.err != nil {
			return done{err: msg.err}
		}
		return done{note: "new session", then: func() tea.Cmd { return a.sessionOpened(msg) }}
	})
}

func (a *App) sessionOpened(msg opened) tea.Cmd {
	next := a.next
	a.next = nil
	if msg.err != nil {
		if a.chat.open == nil && a.picker == nil {
			return tea.Batch(a.showPicker(), a.sayError(msg.err)) // so that the user can continue
		}
		return a.sayError(msg.err)
	}
	fromList := a.chat.fromList
	left := a.leave()
	a.dropPicker()
	show := a.chat.begin(msg.session, msg.source)
	a.chat.branch, a.chat.gone, a.chat.fromList = msg.branch, msg.gone, a.chosen || fromList
	a.chosen = false
	if a.c.Tree {
		a.c.Tree = false
		show = tea.Sequence(a.showTree(""), show) // the conversation is behind the tree
	}
	cmds := []tea.Cmd{left, show, a.chat.countSoon()}
	for _, w := range msg.session.Setup.Warnings {
		cmds = append(cmds, a.say(paint.Warning, w))
	}
	if note := view.NewerNote(msg.session.Current().Header()); note != "" {
		cmds = append(cmds, a.say(paint.Warning, note))
	}
	if msg.branch != "" {
		cmds = append(cmds, a.say(paint.Warning, "not the current branch: new messages continue from here; the tree shows all branches"))
	}
	switch {
	case msg.at.query != "" && (msg.at.stay || msg.place == nil):
		var first *conversation.Place
		if !msg.at.stay {
			first = &conversation.Place{}
		}
		cmds = append(cmds, a.chat.page.Search(msg.at.query, first))
	case msg.at.query != "":
		cmds = append(cmds, a.chat.page.Search(msg.at.query, msg.place))
	case msg.place != nil:
		cmds = append(cmds, a.chat.page.Show(*msg.place))
	}
	if next != nil {
		cmds = append(cmds, next())
	}
	return tea.Batch(cmds...)
}

// leave detaches the open session. The returned command closes it in the
// background, because closing waits for running work.
func (a *App) leave() tea.Cmd {
	a.closeTree()
	open := a.chat.end()
	if open == nil {
		return nil
	}
	s := open.Current()
	a.farewell.SessionID, a.farewell.File = s.ID(), ""
	if s.Written() {
		a.farewell.File = s.File()
	}
	return func() tea.Msg {
		if err := open.Close(); err != nil {
			return failed{err}
		}
		return nil
	}
}

// watchEvery is the interval of checks whether other processes wrote to the
// session.
const watchEvery = 500 * time.Millisecond

// watched is the result of a check for changes by other processes.
type watched struct {
	open  *live.Session
	grown bool
	err   error
}

// watch waits, and then checks whether other processes have written to the
// session.
func (a *App) watch() tea.Cmd {
	open := a.chat.open
	look := a.background.command(func(ctx context.Context) tea.Msg {
		grown, err := open.Look(ctx)
		return watched{open, grown, err}
	})
	return tea.Tick(watchEvery, func(time.Time) tea.Msg {
		if open == nil {
			return watched{}
		}
		return look()
	})
}

func (a *App) takeWatched(msg watched) tea.Cmd {
	cmds := []tea.Cmd{a.watch()}
	if msg.open == nil || msg.open != a.chat.open {
		return cmds[0]
	}
	if msg.err != nil {
		cmds = append(cmds, a.sayError(msg.err))
	}
	if msg.grown {
		cmds = append(cmds, a.chat.refresh(false), a.chat.count(), a.renewTree())
	}
	return tea.Batch(cmds...)
}
