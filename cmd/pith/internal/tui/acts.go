package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/compare"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// A target is what an action in the conversation or the tree applies to.
type target struct {
	entry  string       // "" for the current one
	prompt string       // of the turn, or ""
	fork   *blocks.Fork // the selected branch point; nil for none
	way    *blocks.Way  // the selected branch; nil for none
}

// sessionActions are the letters that act on the open session.
var sessionActions = []keys.Action{
	keys.Open, keys.OpenElsewhere, keys.Tree, keys.Fork, keys.Clone, keys.Compare, keys.SessionRename, keys.TreeEditLabel, keys.Mark, keys.Export, keys.SessionDelete,
}

// act does something with the open session.
func (a *App) act(action keys.Action, t target) tea.Cmd {
	switch action {
	case keys.Open:
		return agents{a}.openInAgent("")
	case keys.OpenElsewhere:
		return agents{a}.askElsewhere(a.chat.open.Current())
	case keys.Tree:
		return branches{a}.showTree(t.entry)
	case keys.Fork:
		if t.prompt == "" {
			return branches{a}.showForks()
		}
		branches{a}.closeTree()
		return a.commands.forkAt(t.prompt)
	case keys.Clone:
		branches{a}.closeTree()
		if t.entry == "" {
			return a.commands.clone()
		}
		return a.commands.cloneAt(t.entry)
	case keys.Compare:
		return branches{a}.showCompare(t)
	case keys.SessionRename:
		line := input.New(a.c.Keys, a.chat.open.Current().Name())
		a.ask(&dialog.Box{Keys: a.c.Keys, Title: "Rename", Verb: "save", Type: &line, Typed: func(name string) tea.Cmd { return a.commands.name(name) }})
	case keys.TreeEditLabel:
		return branches{a}.askLabel(t.entry)
	case keys.Mark:
		return a.askMark()
	case keys.Export:
		return a.commands.export(t.entry, "")
	case keys.SessionDelete:
		return a.commands.delete()
	case keys.Help:
		return a.showHelp()
	case keys.Quit:
		return a.chat.quit()
	}
	return nil
}

// showActions shows everything that can be done with the open session.
func (a *App) showActions(t target) tea.Cmd {
	k, agent := a.c.Keys, a.chat.agent()
	s := a.chat.open.Current()
	box := &dialog.Box{Keys: k, Title: a.chat.names()[1]}
	readOnly := ""
	if err := s.Writable(); err != nil || a.chat.lost {
		readOnly = agent.Title + " keeps it: read-only"
		if a.chat.lost {
			readOnly = "its file was deleted"
		}
	}
	add := func(text string, action keys.Action, why string) {
		box.Rows = append(box.Rows, dialog.Row{Text: text, Keys: k.Keys(action), Why: why, Do: func() tea.Cmd { return a.act(action, t) }})
	}
	add("Open in "+agents{a}.ownAgent(s), keys.Open, "")
	add("Open in another agent, as a copy…", keys.OpenElsewhere, "")
	add("Tree", keys.Tree, "")
	add("Fork before a prompt", keys.Fork, "")
	add("Clone up to here", keys.Clone, "")
	add("Compare branches", keys.Compare, "")
	add("Rename", keys.SessionRename, readOnly)
	add("Label", keys.TreeEditLabel, readOnly)
	add("Pin, archive, tag…", keys.Mark, "")
	add("Export…", keys.Export, "")
	add("Delete", keys.SessionDelete, "")
	box.Rows = append(box.Rows,
		dialog.Row{Text: "Compact", Why: compactWhy(agent.Foreign, agent.Title), Do: func() tea.Cmd { return a.commands.compact("") }},
		dialog.Row{Text: "Counts and cost", Do: func() tea.Cmd { return a.commands.facts() }},
		dialog.Row{Text: "New session", Keys: append(k.Keys(keys.SessionNew), "n"), Do: func() tea.Cmd { return opener{a}.newSession() }},
		dialog.Row{Text: "Sessions", Do: func() tea.Cmd { return a.backToList() }})
	a.ask(box)
	return nil
}

func compactWhy(foreign bool, agent string) string {
	if foreign {
		return agent + " compacts its own sessions"
	}
	return ""
}

func (a branches) askLabel(entry string) tea.Cmd {
	if err := a.chat.open.Current().Writable(); err != nil {
		return a.sayError(err)
	}
	if entry == "" {
		return a.say(paint.Dim, "nothing to label")
	}
	line := input.New(a.c.Keys, a.chat.open.Current().View().Label(entry))
	a.ask(&dialog.Box{Keys: a.c.Keys, Title: "Label", About: []string{"Empty removes it."}, Verb: "save", Type: &line, Typed: func(label string) tea.Cmd { return a.commands.setLabel(entry, label) }})
	return nil
}

// asked handles the requests of the list of sessions.
func (a *App) asked(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case picker.Open:
		return a.openSession(msg.Item.Path, found{entry: msg.EntryID, query: msg.Query, stay: msg.AtEnd})
	case picker.Closed:
		return a.closePicker()
	case picker.Picked:
		for _, it := range msg.Sessions {
			a.farewell.Picked = append(a.farewell.Picked, it.Ref())
		}
		return a.leaveApp(false)
	case picker.Wish:
		return a.wishOfList(msg)
	}
	return nil
}

// wishOfList does something with a session of the list. What needs it open opens it.
func (a *App) wishOfList(w picker.Wish) tea.Cmd {
	it := w.Item
	opened := func(do func() tea.Cmd) tea.Cmd {
		a.next = do
		return a.openSession(it.Path, found{})
	}
	switch w.Action {
	case keys.Help:
		return a.showHelp()
	case keys.SessionNew:
		return opener{a}.newSession()
	case keys.Open:
		return opened(func() tea.Cmd { return agents{a}.openInAgent("") })
	case keys.OpenElsewhere:
		return opened(func() tea.Cmd { return a.act(keys.OpenElsewhere, target{}) })
	case keys.Tree:
		return opened(func() tea.Cmd { return branches{a}.showTree("") })
	case keys.Fork:
		return branches{a}.showForksOf(it.Path)
	case keys.Compare:
		return branches{a}.compareSessions(it)
	case keys.Export:
		return (&exporting{app: a, use: a.library.reading(it.Path)}).begin("")
	case picker.CompactWish:
		return opened(func() tea.Cmd { return a.commands.compact("") })
	case keys.Clone:
		return a.prepares("cloning", func(ctx context.Context) done {
			file, err := a.library.clone(ctx, it.Path)
			if err != nil {
				return done{err: err}
			}
			return done{note: "cloned to a new session", then: func() tea.Cmd { return a.openSession(file, found{}) }}
		})
	}
	return nil
}

// pressTree handles a key while the tree is shown: letters act on the selected entry.
func (a *App) pressTree(p tea.KeyPressMsg) tea.Cmd {
	k := a.c.Keys
	if a.tree.Typing() {
		return a.tree.Update(p)
	}
	row, _ := a.tree.Selected()
	t := target{entry: row.Last, way: row.Way}
	if row.Kind == blocks.Prompt && row.Way == nil {
		t.prompt = row.Entry
	}
	switch action := k.First(p, append(sessionActions, keys.Help, keys.Actions, keys.Write, keys.Quit)...); action {
	case "":
		return a.tree.Update(p)
	case keys.Tree: // back to the selected entry
		entry := row.Last
		branches{a}.closeTree()
		if turn, ok := a.chat.turns.Holding(entry); ok {
			return a.chat.page.Show(conversation.Place{Turn: turn, EntryID: entry})
		}
		return nil
	case keys.Actions:
		return a.showActions(t)
	case keys.Write:
		branches{a}.closeTree()
		a.chat.editor.reading = false
		return nil
	case keys.Fork:
		if t.prompt == "" {
			return a.say(paint.Error, "a fork starts before a prompt; "+k.Letter(keys.Clone)+" clones up to here")
		}
		return a.act(action, t)
	default:
		return a.act(action, t)
	}
}

// wishOfTree goes back to a row of the tree, or leaves the tree.
func (a *App) wishOfTree(w treeview.Wish) tea.Cmd {
	if w.Action == keys.SelectCancel {
		branches{a}.closeTree()
		return nil
	}
	return branches{a}.goBack(w.Row)
}

// wishOfCompare does what was asked for while branches are compared.
func (a *App) wishOfCompare(w compare.Wish) tea.Cmd {
	switch w.Action {
	case keys.Compare:
		return branches{a}.chooseCompared()
	case keys.Help:
		return a.showHelp()
	}
	a.compare = nil
	if w.Action == keys.Tree && a.tree == nil {
		return branches{a}.showTree("")
	}
	return nil
}

// askMark asks which marks of the open session to change.
func (a *App) askMark() tea.Cmd {
	if !a.chat.open.Current().Written() {
		return a.say(paint.Error, "nothing to mark: the session has no messages yet")
	}
	name := "“" + termsafe.Fit(a.chat.names()[1], 60) + "”"
	return a.makes(a.chat.with(func(_ context.Context, open *live.Session) transient.Then {
		s := open.Current()
		of, err := a.c.App.MarksOf()
		before := of(s.ID())
		put := func(ctx context.Context, p ops.MarkParams) error {
			p.Path = s.File()
			_, err := ops.Mark(ctx, a.c.App, p)
			return err
		}
		return func() tea.Cmd {
			if err != nil {
				return a.sayError(err)
			}
			a.ask((&dialog.Marking{Keys: a.c.Keys, Ask: a.ask, Names: name, First: before, Change: func(did string, change func(marks.Marks) ops.MarkParams) tea.Cmd {
				return a.work("marking", func(ctx context.Context) done {
					if err := put(ctx, change(before)); err != nil {
						return done{err: err}
					}
					news := transient.News{Text: did + ": " + name, Undo: func(ctx context.Context) (string, error) {
						return "Marks are as before: " + name, put(ctx, dialog.Remark(before))
					}}
					return done{then: func() tea.Cmd { return a.news.take(news) }}
				})
			}}).Box())
			return nil
		}
	}))
}

// showPicker shows the list of sessions, as it was last shown.
func (a *App) showPicker() tea.Cmd {
	a.dropPicker()
	size := tea.WindowSizeMsg{Width: a.width, Height: a.height}
	if a.left != nil {
		a.picker, a.left = a.left, nil
		return tea.Sequence(a.picker.Update(size), a.picker.Reopen(a.openKey()))
	}
	o := picker.Options{
		Keys: a.c.Keys, OpenKey: a.openKey(), Home: a.c.Home, Project: a.project(), Now: a.c.App.Now, Cwd: a.c.Cwd, App: a.c.App, File: a.library.file,
		Pick: a.c.Pick, Query: a.c.Query, Ask: a.ask, Send: a.asked, Theme: func() *paint.Theme { return a.theme }, Agent: func(it *picker.Item) string { return agents{a}.agentName(it.Root) },
	}
	if a.c.All {
		o.Scope = picker.All
	}
	a.picker = picker.New(a.library, o)
	return tea.Sequence(a.picker.Update(size), a.picker.Init())
}

// backToList leaves the session for the list.
func (a *App) backToList() tea.Cmd { return tea.Batch(a.leave(), a.showPicker()) }

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

// closePicker ends the app, or returns to the open session.
func (a *App) closePicker() tea.Cmd {
	if a.chat.open == nil {
		a.picker.Close()
		return a.leaveApp(true)
	}
	a.dropPicker()
	return nil
}
