package tui

import (
	"context"
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources/importer"
	"github.com/pith-sessions/pith/sessiondir"
)

// showHelp lists the keys of the screen on top.
func (a *App) showHelp() tea.Cmd {
	switch {
	case a.tree != nil:
		a.tell(treeHelp(a.c.Keys))
	case a.picker != nil && a.c.Pick:
		a.tell(chooserHelp(a.c.Keys))
	case a.picker != nil:
		a.tell(pickerHelp(a.c.Keys))
	default:
		a.tell(chatHelp(a.c.Keys, a.chat.twice(), a.c.agentName()))
	}
	return nil
}

// showPicker shows the list of sessions, as it was last shown.
func (a *App) showPicker() tea.Cmd {
	a.dropPicker()
	size := tea.WindowSizeMsg{Width: a.width, Height: a.height - 1}
	if a.left != nil {
		a.picker, a.left = a.left, nil
		return tea.Sequence(a.picker.Update(size), a.picker.Reopen(a.openKey()))
	}
	o := picker.Options{Keys: a.c.Keys, OpenKey: a.openKey(), Home: a.c.Home, Now: a.c.Now, Cwd: a.c.Cwd, Catalog: a.c.Catalog, File: a.library.file, Pick: a.c.Pick, Query: a.c.Query}
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

// showTree shows the tree, at an entry or at the leaf. The tree of a large
// session takes time to prepare.
func (a *App) showTree(selects string) tea.Cmd {
	return a.chat.read(func(_ context.Context, open *live.Session) transient.Then {
		s := open.Current()
		view := s.View()
		if view.Len() == 0 {
			return func() tea.Cmd { return a.say(paint.Muted, "no messages yet") }
		}
		settings := open.Setup.Settings
		tree := treeview.New(open.Notes(), treeview.Options{
			Keys: a.c.Keys, Tree: view, LeafID: currentEntry(s), Select: selects, Filter: outline.Filter(settings.TreeFilter),
			SkipSummary: settings.BranchSummary.SkipPrompt, Now: a.c.Now,
		})
		return func() tea.Cmd {
			a.closeTree()
			a.tree = tree
			return tea.Sequence(tree.Update(tea.WindowSizeMsg{Width: a.width, Height: a.height}), tree.Init())
		}
	})
}

// currentEntry returns the ID of the entry that the user sees as the current one.
func currentEntry(s *pith.Session) string {
	if id, err := ops.Position(s); err == nil {
		return id
	}
	return s.LeafID()
}

// renewTree reads the tree again, if it is shown.
func (a *App) renewTree() tea.Cmd {
	if a.tree == nil {
		return nil
	}
	return a.chat.read(func(_ context.Context, open *live.Session) transient.Then {
		s := open.Current()
		view, leaf := s.View(), currentEntry(s)
		return func() tea.Cmd {
			if a.tree == nil {
				return nil
			}
			return a.tree.SetTree(view, leaf)
		}
	})
}

func (a *App) closeTree() {
	if a.tree != nil {
		a.tree.Close()
		a.tree = nil
	}
}

// showForks asks at which user message to fork the open session.
func (a *App) showForks() tea.Cmd {
	return a.chat.read(func(_ context.Context, open *live.Session) transient.Then {
		list, err := live.Messages(open.Current())
		return func() tea.Cmd { return a.chooseFork("", list, err) }
	})
}

// showForksOf asks at which user message to fork a session of the list. The session
// is opened when a message is chosen: canceling returns to the list.
func (a *App) showForksOf(path string) tea.Cmd {
	return a.background.command(func(ctx context.Context) transient.Then {
		var list []live.Message
		err := a.library.reading(path)(ctx, func(s *pith.Session) (err error) {
			list, err = live.Messages(s)
			return err
		})
		return func() tea.Cmd { return a.chooseFork(path, list, err) }
	})
}

// chooseFork asks for one of the messages of a session; path is "" for the open
// one.
func (a *App) chooseFork(path string, messages []live.Message, err error) tea.Cmd {
	switch {
	case err != nil:
		return a.sayError(err)
	case len(messages) == 0:
		return a.say(paint.Muted, "no messages to fork from")
	}
	texts := make([]string, len(messages))
	for i, m := range messages {
		texts[i] = m.Text
	}
	a.choose(&dialog.Messages{
		Title: "Fork from Message", About: "Select a message to create a new session that ends before it",
		Verb: "fork", Texts: texts, At: len(texts) - 1,
	}, func(i int) tea.Cmd {
		id := messages[i].ID
		if path == "" {
			return a.commands.forkAt(id)
		}
		a.next = func() tea.Cmd { return a.commands.forkAt(id) }
		return a.openSession(path, found{})
	})
	return nil
}

// openInAgent opens the session in another agent.
func (a *App) openInAgent() tea.Cmd {
	if _, err := findAgent(a.c.agentWords()); err != nil {
		return a.sayError(err) // before a question about the directory
	}
	return a.inCwd(a.handOver, func() tea.Cmd { return nil })
}

// handOver opens the session in another agent at its leaf. The session is
// closed meanwhile, which records its leaf in the file, and opened again
// afterwards.
func (a *App) handOver() tea.Cmd {
	s := a.chat.open.Current()
	if !s.Written() {
		return a.say(paint.Error, "nothing to open: the session has no messages yet")
	}
	var copied tea.Cmd
	if !a.chat.editor.blank() { // it stays as a draft here
		copied = tea.Batch(tea.SetClipboard(a.chat.editor.value()), a.say(paint.Accent, "the unsent text is in the clipboard"))
	}
	return tea.Batch(copied, a.lendSession(s.File(), s.Header(), s.Cwd(), a.leave))
}

// lendSession opens a session in another agent, or a copy if the other agent
// must not write to the file: see [importer.NeedsCopy]. first is called before the other
// agent starts; it may be nil.
func (a *App) lendSession(path string, h *format.Header, cwd string, first func() tea.Cmd) tea.Cmd {
	if _, err := findAgent(a.c.agentWords()); err != nil {
		return a.sayError(err)
	}
	lend := func(path string) tea.Cmd {
		cmd, err := a.lendToAgent(path, cwd)
		if err != nil {
			return a.sayError(err)
		}
		if first != nil {
			return tea.Sequence(first(), cmd)
		}
		return cmd
	}
	if !importer.NeedsCopy(path, h) || a.c.agentName() == "omp" && h.Source == "" {
		return lend(path)
	}
	return a.work("copying the session", func(ctx context.Context) done {
		file, err := a.library.writable(ctx, path)
		if err != nil {
			return done{err: err}
		}
		return done{note: "copied to open it in " + a.c.agentName(), then: func() tea.Cmd { return lend(file) }}
	})
}

// lendToAgent opens a session in another agent, and afterwards here.
func (a *App) lendToAgent(path, cwd string) (tea.Cmd, error) {
	return a.lender.handOver(a.c.agentWords(), path, cwd, func(err error) tea.Cmd {
		if a.background.ended() {
			return nil // the app is ending, and has ended the other agent
		}
		open := a.openSession(path, found{})
		if err != nil {
			return tea.Batch(a.sayError(err), open)
		}
		return open
	})
}

// handOverFrom opens a session of the list in another agent. If it is open
// here, it is closed meanwhile.
func (a *App) handOverFrom(path string) tea.Cmd {
	if open := a.chat.open; open != nil && canonical(open.Current().File()) == canonical(path) {
		return a.handOver()
	}
	h, err := sessiondir.HeaderOf(path)
	if err != nil {
		return a.sayError(err)
	}
	cwd := h.Cwd
	if there, err := os.Stat(cwd); err != nil || !there.IsDir() {
		cwd = a.c.Cwd
	}
	return a.lendSession(path, h, cwd, nil)
}

// editOutside opens the text of the editor in the user's own one.
func (a *App) editOutside() tea.Cmd {
	cmd, err := a.lender.edit(a.c.Editor, a.chat.editor.value(), func(text string, err error) tea.Cmd {
		if err != nil {
			return a.sayError(err)
		}
		a.chat.editor.set(text)
		return nil
	})
	if err != nil {
		return a.sayError(err)
	}
	return cmd
}
