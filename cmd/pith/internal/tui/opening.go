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
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
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
	return a.makes(func(ctx context.Context) transient.Then {
		h, err := sessiondir.HeaderOf(path)
		if _, named := errors.AsType[*fs.PathError](err); err != nil && !named {
			err = &pith.FileError{Op: "open", Path: path, Err: err}
		}
		if err != nil {
			return func() tea.Cmd { return opener{a}.openFailed(err) }
		}
		cwd := h.Cwd
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
		return opener{a}.openIn(ctx, path, cwd, at, gone)
	})
}

// An opener opens sessions.
type opener struct{ *App }

// openIn opens a session that continues in a working directory, which may be
// gone.
func (a opener) openIn(ctx context.Context, path, cwd string, at found, gone string) transient.Then {
	s, err := live.Open(ctx, path, cwd, a.liveOptions())
	msg, err := ready(s, at, err)
	if err != nil {
		return func() tea.Cmd { return a.openFailed(err) }
	}
	msg.gone = gone
	return func() tea.Cmd { return a.sessionOpened(msg) }
}

// inCwd runs a function that needs the working directory of the session. If
// that is gone, the user is asked once: to continue in the directory of the app, which is
// remembered, or in a fork made there, or to say where the directory is now (pitfall 151).
// then runs in the session that is opened for the answer.
func (a opener) inCwd(then func() tea.Cmd) tea.Cmd {
	gone := a.chat.gone
	if gone == "" {
		return then()
	}
	open, branch, here := a.chat.open.Current(), a.chat.branch, a.c.Cwd
	reopen := func(file, cwd string) tea.Cmd {
		a.next = then
		return tea.Sequence(a.leave(), a.makes(func(ctx context.Context) transient.Then {
			return a.openIn(ctx, file, cwd, found{entry: branch}, "")
		}))
	}
	box := &dialog.Box{Keys: a.c.Keys, Title: "The project directory is gone", About: []string{gone + " does not exist."}, Wide: true}
	box.Rows = append(box.Rows, dialog.Row{Text: "Continue in " + here, Keys: []string{"c"}, Do: func() tea.Cmd {
		if a.c.Remember != nil {
			a.c.Remember(gone, here)
		}
		return reopen(open.File(), here)
	}})
	fork := dialog.Row{Text: "Fork into " + here, Keys: []string{"f"}, Do: func() tea.Cmd {
		return a.work("forking", func(ctx context.Context) done {
			file, err := a.library.forkInto(ctx, open, here)
			if err != nil {
				return done{err: err}
			}
			return done{note: "forked into " + here, then: func() tea.Cmd { return reopen(file, here) }}
		})
	}}
	if open.Header().Source != "" { // it is imported where it continues
		fork.Why = a.chat.agent().Title + " keeps it; O continues it in another agent, as a copy"
	}
	box.Rows = append(box.Rows, fork, dialog.Row{Text: "It was moved: copy the command that says where to", Keys: []string{"m"}, Do: func() tea.Cmd {
		command := "pith move " + gone + " " + here
		return tea.Batch(tea.SetClipboard(command), a.say(paint.Plain, "Copied: "+command))
	}})
	a.ask(box)
	return nil
}

// liveOptions returns the options with which sessions are opened.
func (a opener) liveOptions() live.Options {
	return live.Options{
		Engine: a.c.engine(), Setup: a.c.Setup, Home: a.c.Home, Go: a.background.run,
		Agent: func(s *pith.Session) string { return agentOf(s).Title },
		Event: func(s *live.Session, e agent.Event) {
			a.send(transient.Then(func() tea.Cmd { return a.chat.takeEvent(s, e) }))
		},
	}
}

// ready reads the part of a session that is shown first, at an entry or at the
// end. An entry of an abandoned branch is shown there; the leaf does not move.
func ready(s *live.Session, at found, err error) (opened, error) {
	if err != nil {
		return opened{}, err
	}
	branch := s.Branch(at.entry)
	source, err := s.Turns(branch)
	if err != nil {
		return opened{}, errors.Join(err, s.Close())
	}
	o := opened{session: s, source: source, branch: branch, at: at}
	if turn, ok := source.Holding(at.entry); ok && at.entry != "" {
		o.place = &conversation.Place{Turn: turn, EntryID: at.entry}
	}
	return o, nil
}

func isGone(cwd string) bool {
	if cwd == "" {
		return false
	}
	_, err := os.Stat(cwd)
	return errors.Is(err, fs.ErrNotExist)
}

// newSession starts a new session, whatever is shown.
func (a opener) newSession() tea.Cmd {
	if a.chat.open != nil {
		a.dropPicker()
		branches(a).closeTree()
		return a.commands.newSession()
	}
	return a.startSession()
}

func (a opener) startSession() tea.Cmd {
	return a.prepares("starting a session", func(context.Context) done {
		o := a.liveOptions()
		o.Engine.Dir = a.c.App.DirFor(a.c.Cwd)
		s, err := live.Create(a.c.Cwd, o)
		msg, err := ready(s, found{}, err)
		if err != nil {
			return done{err: err}
		}
		return done{note: "new session", then: func() tea.Cmd { return a.sessionOpened(msg) }}
	})
}

// openFailed shows why a session was not opened.
func (a opener) openFailed(err error) tea.Cmd {
	a.next = nil
	if a.chat.open == nil && a.picker == nil {
		return tea.Batch(a.showPicker(), a.sayError(err)) // so that the user can continue
	}
	return a.sayError(err)
}

func (a opener) sessionOpened(msg opened) tea.Cmd {
	next := a.next
	a.next = nil
	left := a.leave()
	a.dropPicker()
	show := a.chat.begin(msg.session, msg.source)
	a.chat.branch, a.chat.gone = msg.branch, msg.gone
	a.compare = nil
	if a.c.Tree {
		a.c.Tree = false
		show = tea.Sequence(branches(a).showTree(""), show) // the conversation is behind the tree
	}
	cmds := []tea.Cmd{left, show, a.chat.countSoon()}
	for _, w := range msg.session.Setup.Warnings {
		cmds = append(cmds, a.say(paint.Warning, w))
	}
	if note := ops.UnknownNote(msg.session.Current()); note != "" {
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
	closing := a.detach()
	if closing == nil {
		return nil
	}
	return a.background.command(func(context.Context) transient.Then {
		if err := closing(); err != nil {
			return func() tea.Cmd { return a.sayError(err) }
		}
		return nil
	})
}

// detach detaches the open session and returns the function that closes it, or
// nil if none is open.
func (a *App) detach() (closing func() error) {
	branches{a}.closeTree()
	open := a.chat.end()
	if open == nil {
		return nil
	}
	s := open.Current()
	a.farewell.SessionID, a.farewell.File = s.ID(), ""
	if s.Written() {
		a.farewell.File, a.farewell.Foreign = s.File(), ops.NeedsCopy(s)
	}
	return open.Close
}

// watchEvery is the interval of checks whether other processes wrote to the
// session.
const watchEvery = 500 * time.Millisecond

// watch waits, and then checks whether other processes have written to the
// session.
func (a *App) watch() tea.Cmd {
	open := a.chat.open
	look := a.background.command(func(ctx context.Context) transient.Then {
		var grown bool
		var err error
		if open != nil {
			grown, err = open.Look(ctx)
		}
		return func() tea.Cmd {
			cmds := []tea.Cmd{a.watch()}
			if err != nil && open == a.chat.open {
				a.chat.lost = a.chat.lost || errors.Is(err, live.ErrDeleted)
				cmds = append(cmds, a.sayError(err))
			}
			if grown && open == a.chat.open {
				cmds = append(cmds, a.chat.refresh(false), a.chat.count(), branches{a}.renewTree())
			}
			return tea.Batch(cmds...)
		}
	})
	return tea.Tick(watchEvery, func(time.Time) tea.Msg { return look() })
}
