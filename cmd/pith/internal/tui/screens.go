package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/change"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
)

func (a *App) show(s screen) tea.Cmd {
	switch s {
	case listScreen:
		return a.showPicker()
	case treeScreen:
		return a.showTree("")
	case forkScreen:
		return a.showForks()
	case backScreen:
		return a.back()
	case agentScreen:
		if _, err := findAgent(a.c.agentWords()); err != nil {
			return a.sayError(err) // before a question about the directory
		}
		return a.inCwd(a.handOver, func() tea.Cmd { return nil })
	case editorScreen:
		cmd, err := a.lender.edit(a.c.Editor, a.chat.editor.value())
		if err != nil {
			return a.sayError(err)
		}
		return cmd
	}
	switch {
	case a.tree != nil:
		a.setSheet(treeHelp(a.c.Keys))
	case a.picker != nil && a.c.Pick:
		a.setSheet(chooserHelp(a.c.Keys))
	case a.picker != nil:
		a.setSheet(pickerHelp(a.c.Keys))
	default:
		a.setSheet(chatHelp(a.c.Keys, a.chat.twice(), a.c.agentName()))
	}
	return nil
}

func (a *App) setSheet(s *dialog.Sheet) { a.overlay.sheet = s }

func (a *App) setMessages(m *dialog.Messages, chosen func(i int) tea.Cmd) {
	a.overlay.messages, a.overlay.chosen = m, chosen
}

// showPicker shows the list of sessions, as it was last shown.
func (a *App) showPicker() tea.Cmd {
	a.dropPicker()
	size := tea.WindowSizeMsg{Width: a.width, Height: a.height - 1}
	if a.left != nil {
		a.picker, a.left = a.left, nil
		return tea.Sequence(a.picker.Update(size), a.picker.Reopen(a.openKey()))
	}
	o := picker.Options{Keys: a.c.Keys, OpenKey: a.openKey(), Home: a.c.Home, Now: a.c.Now, Who: a.c.Who, File: a.library.file, Pick: a.c.Pick, Query: a.c.Query, Searches: a.c.Searches}
	if a.c.All {
		o.Scope = picker.All
	}
	if a.c.Marks != nil {
		o.Mark = a.library.mark
	}
	a.picker = picker.New(a.library, o)
	return tea.Sequence(a.picker.Update(size), a.picker.Init())
}

func (a *App) openKey() string {
	if a.chat.open == nil || a.chat.open.Current().File() == "" {
		return ""
	}
	return canonical(a.chat.open.Current().File())
}

// dropPicker removes the list of sessions. It is kept for the next time.
func (a *App) dropPicker() {
	if a.picker != nil {
		a.picker.Close()
		a.picker, a.left = nil, a.picker
	}
}

// closePicker returns to the open session, or ends the app.
func (a *App) closePicker() tea.Cmd {
	if a.chat.open == nil {
		a.picker.Close()
		return a.leaveApp(true)
	}
	a.dropPicker()
	return nil
}

// back closes the session and returns to the list from which it was chosen.
func (a *App) back() tea.Cmd {
	return tea.Batch(a.leave(), a.showPicker())
}

// treeReady is the tree of a session, ready to be shown. It is prepared in the
// background, because that takes time for a large session.
type treeReady struct {
	open *live.Session
	tree *treeview.Model // nil for a session without entries
}

// showTree shows the tree, at an entry or at the leaf.
func (a *App) showTree(selects string) tea.Cmd {
	open := a.chat.open
	if open == nil {
		return nil
	}
	return func() tea.Msg {
		s := open.Current()
		view := s.View()
		if view.Len() == 0 {
			return treeReady{open: open}
		}
		settings := open.Setup.Settings
		return treeReady{open, treeview.New(open.Notes(), treeview.Options{
			Keys: a.c.Keys, Tree: view, LeafID: currentEntry(s), Select: selects, Filter: outline.Filter(settings.TreeFilter),
			SkipSummary: settings.BranchSummary.SkipPrompt, Now: a.c.Now,
		})}
	}
}

// currentEntry returns the ID of the entry that the user sees as the current one.
func currentEntry(s *pith.Session) string {
	if id, err := change.Position(s); err == nil {
		return id
	}
	return s.LeafID()
}

func (a *App) takeTree(msg treeReady) tea.Cmd {
	switch {
	case msg.open != a.chat.open:
		return nil
	case msg.tree == nil:
		return a.say(paint.Muted, "no messages yet")
	}
	a.closeTree()
	a.tree = msg.tree
	return tea.Sequence(a.tree.Update(tea.WindowSizeMsg{Width: a.width, Height: a.height}), a.tree.Init())
}

// treeGrown is the shown tree, after something was written.
type treeGrown struct {
	open *live.Session
	tree *pith.View
	leaf string
}

// renewTree reads the tree again, if it is shown.
func (a *App) renewTree() tea.Cmd {
	open := a.chat.open
	if open == nil || a.tree == nil {
		return nil
	}
	return func() tea.Msg {
		s := open.Current()
		return treeGrown{open, s.View(), currentEntry(s)}
	}
}

func (a *App) takeGrownTree(msg treeGrown) tea.Cmd {
	if msg.open != a.chat.open || a.tree == nil {
		return nil
	}
	return a.tree.SetTree(msg.tree, msg.leaf)
}

func (a *App) closeTree() {
	if a.tree != nil {
		a.tree.Close()
		a.tree = nil
	}
}

// forksReady contains the user messages at which a session can be forked.
type forksReady struct {
	open     *live.Session // nil for a session of the list
	path     string        // of a session of the list
	messages []live.Message
	err      error
}

// showForks asks at which user message to fork the open session.
func (a *App) showForks() tea.Cmd {
	open := a.chat.open
	return func() tea.Msg {
		list, err := live.Messages(open.Current())
		return forksReady{open: open, messages: list, err: err}
	}
}

// showForksOf asks at which user message to fork a session of the list. The session
// is opened when a message is chosen: canceling returns to the list.
func (a *App) showForksOf(path string) tea.Cmd {
	return a.background.command(func(ctx context.Context) tea.Msg {
		ready := forksReady{path: path}
		ready.err = a.library.reading(path)(ctx, func(s *pith.Session) (err error) {
			ready.messages, err = live.Messages(s)
			return err
		})
		return ready
	})
}

func (a *App) takeForks(msg forksReady) tea.Cmd {
	switch {
	case msg.path == "" && msg.open != a.chat.open:
		return nil
	case msg.err != nil:
		return a.sayError(msg.err)
	case len(msg.messages) == 0:
		return a.say(paint.Muted, "no messages to fork from")
	}
	texts := make([]string, len(msg.messages))
	for i, m := range msg.messages {
		texts[i] = m.Text
	}
	a.overlay.messages = &dialog.Messages{
		Title: "Fork from Message", About: "Select a message to create a new session that ends before it",
		Verb: "fork", Texts: texts, At: len(texts) - 1,
	}
	a.overlay.chosen = func(i int) tea.Cmd {
		id := msg.messages[i].ID
		if msg.path == "" {
			return a.commands.forkAt(id)
		}
		a.next = func() tea.Cmd { return a.commands.forkAt(id) }
		return a.openSession(msg.path, found{})
	}
	return nil
}

// handOver opens the session in another agent at its leaf. The session is
// closed meanwhile, which records its leaf in the file, and opened again
// afterwards.
func (a *App) handOver() tea.Cmd {
	s := a.chat.open.Current()
	if !s.Written() {
		return a.say(paint.Error, "nothing to open: the session has no messages yet")
	}
	cmd, err := a.lender.handOver(a.c.agentWords(), s.File(), s.Cwd())
	if err != nil {
		return a.sayError(err)
	}
	return tea.Sequence(a.leave(), cmd)
}

func (a *App) takeHandover(msg handedOver) tea.Cmd {
	a.lender.lent = false
	if a.background.ended() {
		return nil // the app is ending, and has ended the other agent
	}
	open := a.openSession(msg.path, found{})
	if msg.err != nil {
		return tea.Batch(a.sayError(msg.err), open)
	}
	return open
}

func (a *App) takeEdited(msg editedOutside) tea.Cmd {
	a.lender.lent = false
	if msg.err != nil {
		return a.sayError(msg.err)
	}
	a.chat.editor.set(msg.text)
	return nil
}
