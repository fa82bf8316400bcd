package tui

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/sessiondir"
)

// opened is the session that is shown.
type opened struct {
	live    *agent.Session
	setup   *userconfig.Setup
	stop    func() // ends the telling of events
	source  *exchanges
	running bool
	seen    int64 // size of the file when it was last looked at
	stats   *agent.Stats
	// counting means that stats are being added up.
	counting bool
}

// session is the session as it is now; a fork or a switch puts another in its
// place.
func (o *opened) session() *pith.Session { return o.live.Session() }

type openedMsg struct {
	open  *opened
	place *conversation.Place // to be shown; nil for the end
	err   error
}

// cwdGone asks where a session goes on whose working directory is gone.
type cwdGone struct{ path, entry, cwd string }

// openSession opens a session beside the screen.
func (a *App) openSession(path, entry string) tea.Cmd {
	return func() tea.Msg {
		header, err := readHeader(path)
		if err != nil {
			return openedMsg{err: err}
		}
		cwd, gone := header, isGone(header)
		if gone && a.c.Remembered != nil {
			if instead, known := a.c.Remembered(header); known {
				cwd, gone = instead, false
			}
		}
		if gone {
			return cwdGone{path, entry, header}
		}
		return a.openIn(path, cwd, entry)
	}
}

// openIn opens a session that goes on in a working directory. The file is not
// changed by that.
func (a *App) openIn(path, cwd, entry string) tea.Msg {
	options := a.c.engine()
	options.Cwd = cwd
	s, err := pith.Open(path, options)
	if err != nil {
		return openedMsg{err: err}
	}
	o, err := a.begin(s)
	if err != nil {
		return openedMsg{err: errors.Join(err, s.Close())}
	}
	return openedMsg{open: o, place: o.source.at(entry)}
}

// begin makes a conversation of a session.
func (a *App) begin(s *pith.Session) (*opened, error) {
	o := &opened{setup: a.c.Setup(s.Cwd())}
	config, err := o.setup.Config(userconfig.Choice{}, s)
	if err != nil {
		return nil, err
	}
	config.Now = a.c.Now
	config.Options = a.c.engine()
	if o.live, err = agent.New(s, config); err != nil {
		return nil, err
	}
	o.stop = o.live.Subscribe(func(e agent.Event) { a.send(happened{o, e}) })
	if o.source, err = newExchanges(s); err != nil {
		o.stop()
		return nil, errors.Join(err, o.live.Close())
	}
	return o, nil
}

// readHeader is the working directory of a session.
func readHeader(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // it was only read
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

// sessionOpened shows a session.
func (a *App) sessionOpened(msg openedMsg) tea.Cmd {
	next := a.next
	a.next = nil
	if msg.err != nil {
		if a.open == nil && a.picker == nil {
			return tea.Batch(a.showPicker(), a.sayError(msg.err)) // there is something to go on with
		}
		return a.sayError(msg.err)
	}
	left := a.leave()
	a.dropPicker()
	a.open = msg.open
	a.editor.reading = a.open.live.Client() == nil
	show := a.showPage()
	if a.c.Tree {
		a.c.Tree = false
		show = tea.Sequence(a.showTree(""), show) // the page lies behind the tree
	}
	cmds := []tea.Cmd{left, show, a.countSoon()}
	for _, w := range a.open.setup.Warnings {
		cmds = append(cmds, a.say(paint.Warning, w))
	}
	if msg.place != nil {
		cmds = append(cmds, a.page.Show(*msg.place))
	}
	if next != nil {
		cmds = append(cmds, next(a))
	}
	return tea.Batch(cmds...)
}

// showPage puts the conversation on the screen, at its end.
func (a *App) showPage() tea.Cmd {
	if a.page != nil {
		a.page.Close()
	}
	a.page = conversation.New(a.open.source, conversation.Options{Keys: a.c.Keys, Len: a.open.source.len(), Home: a.c.Home})
	return tea.Sequence(a.page.Update(tea.WindowSizeMsg{Width: a.width, Height: a.pageHeight()}), a.page.Init())
}

// leave lets the session go that is shown. It is closed by the command that is
// returned, beside the screen: closing waits for what is going on.
func (a *App) leave() tea.Cmd {
	if a.open == nil {
		return nil
	}
	o := a.open
	s := o.session()
	a.quit.SessionID, a.quit.File = s.ID(), ""
	if s.Written() {
		a.quit.File = s.File()
	}
	a.open = nil
	a.closeTree()
	if a.page != nil {
		a.page.Close()
		a.page = nil
	}
	return func() tea.Msg {
		o.stop()
		if err := o.live.Close(); err != nil {
			return failed{err}
		}
		return nil
	}
}

// openKey is what tells the session that is open from others.
func (a *App) openKey() string {
	if a.open == nil || a.open.session().File() == "" {
		return ""
	}
	return canonical(a.open.session().File())
}

// canonical is a path with its symbolic links resolved, as far as that is possible.
func canonical(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// showPicker shows the list of sessions.
func (a *App) showPicker() tea.Cmd {
	if a.picker != nil {
		a.picker.Close()
	}
	all := &sessions{c: &a.c, spare: a.spare, beside: a.beside}
	o := picker.Options{Keys: a.c.Keys, OpenKey: a.openKey(), Home: a.c.Home, Now: a.c.Now}
	if a.c.Shelf != nil {
		o.Mark = all.mark
	}
	a.picker = picker.New(all, o)
	return tea.Sequence(a.picker.Update(tea.WindowSizeMsg{Width: a.width, Height: a.height - 1}), a.picker.Init())
}

// dropPicker takes the list of sessions away.
func (a *App) dropPicker() {
	if a.picker != nil {
		a.picker.Close()
		a.picker = nil
	}
}

// closePicker goes back to the session that is open, or ends the app.
func (a *App) closePicker() tea.Cmd {
	a.picker.Close()
	if a.open == nil {
		return a.leaveApp(true)
	}
	a.picker = nil
	return nil
}

// askForCwd asks once where a session goes on; the answer is remembered
// (pitfall 151).
func (a *App) askForCwd(msg cwdGone) tea.Cmd {
	a.ask("Its working directory is gone: "+msg.cwd, []string{"Continue in " + a.c.Cwd, "Cancel"}, func(a *App, answer int) tea.Cmd {
		if answer != 0 {
			return a.notOpened()
		}
		return func() tea.Msg {
			if a.c.Remember != nil {
				a.c.Remember(msg.cwd, a.c.Cwd)
			}
			return a.openIn(msg.path, a.c.Cwd, msg.entry)
		}
	})
	a.asking.unanswered = (*App).notOpened
	return nil
}

// notOpened goes back to what was there before; where there was nothing the app
// ends.
func (a *App) notOpened() tea.Cmd {
	a.next = nil
	if a.open == nil && a.picker == nil {
		return a.leaveApp(true)
	}
	return nil
}

// is reports whether a key means an action.
func (a *App) is(p tea.KeyPressMsg, action keys.Action) bool { return a.c.Keys.Is(p, action) }
