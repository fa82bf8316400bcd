package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/internal/outline"
	"github.com/pith-sessions/pith/internal/tui/look"
	"github.com/pith-sessions/pith/internal/tui/navigator"
)

// treeReady is the tree of a session, ready to be shown.
type treeReady struct {
	open    *opened
	roots   []*pith.Node
	leaf    string
	selects string
	update  bool // of a tree that is shown
}

// showTree shows the tree, on an entry or where the session stands.
func (a *App) showTree(selects string) tea.Cmd { return a.readTree(selects, false) }

func (a *App) readTree(selects string, update bool) tea.Cmd {
	o := a.open
	if o == nil {
		return nil
	}
	return func() tea.Msg {
		s := o.session()
		return treeReady{o, s.Tree(), s.LeafID(), selects, update}
	}
}

func (a *App) takeTree(msg treeReady) tea.Cmd {
	switch {
	case msg.open != a.open:
		return nil
	case len(msg.roots) == 0:
		return a.say(look.Muted, "nothing was said yet: there is no tree")
	case msg.update && a.tree != nil:
		return a.tree.SetTree(msg.roots, msg.leaf)
	case msg.update:
		return nil
	}
	a.tree = navigator.New(&notes{a.open.session(), a.homely}, navigator.Options{
		Keys: a.c.Keys, Roots: msg.roots, LeafID: msg.leaf, Select: msg.selects, Filter: outline.Filter(a.open.setup.Settings.TreeFilter),
		SkipSummary: a.open.setup.Settings.BranchSummary.SkipPrompt, Now: a.c.Now,
	})
	return tea.Sequence(a.tree.Update(tea.WindowSizeMsg{Width: a.width, Height: a.height}), a.tree.Init())
}

func (a *App) closeTree() {
	if a.tree != nil {
		a.tree.Close()
		a.tree = nil
	}
}

// navigate goes to an entry. A summary can be cancelled: then nothing has
// changed and the tree comes back.
func (a *App) navigate(to navigator.Navigate) tea.Cmd {
	a.closeTree()
	o := a.open
	what := "going there"
	if to.Summarize {
		what = "summarizing the branch"
	}
	return a.work(what, func(ctx context.Context) done {
		n, err := o.live.Navigate(ctx, to.EntryID, agent.NavigateOptions{Summarize: to.Summarize, Instructions: to.Instructions})
		if errors.Is(err, agent.ErrAborted) || n.Aborted {
			return done{note: "branch summarization cancelled: nothing has changed", then: func(a *App) tea.Cmd { return a.showTree(to.EntryID) }}
		}
		if err != nil {
			return done{err: err}
		}
		if n.Cancelled {
			return done{note: "navigation cancelled"}
		}
		return done{note: "navigated to the selected point", then: func(a *App) tea.Cmd {
			if n.EditorText != "" && a.editor.blank() {
				a.editor.set(n.EditorText)
			}
			return a.refresh(true)
		}}
	})
}

// setLabel labels an entry; "" clears.
func (a *App) setLabel(id, label string) tea.Cmd {
	o := a.open
	return a.work("labelling", func(context.Context) done {
		if _, err := o.session().SetLabel(id, label); err != nil {
			return done{err: err}
		}
		return done{then: func(a *App) tea.Cmd { return tea.Batch(a.readTree("", true), a.refresh(false)) }}
	})
}
