package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
)

// treeReady is the tree of a session, ready to be shown. It is laid out beside the
// screen, because that takes its time for a large session.
type treeReady struct {
	open *opened
	tree *treeview.Model // nil for a session without entries
}

// showTree shows the tree, on an entry or where the session stands.
func (a *App) showTree(selects string) tea.Cmd {
	o := a.open
	if o == nil {
		return nil
	}
	return func() tea.Msg { return a.layOut(o, selects) }
}

func (a *App) layOut(o *opened, selects string) treeReady {
	s := o.session()
	roots := s.Tree()
	if len(roots) == 0 {
		return treeReady{open: o}
	}
	return treeReady{o, treeview.New(&notes{s, a.homely, a.beside}, treeview.Options{
		Keys: a.c.Keys, Roots: roots, LeafID: s.LeafID(), Select: selects, Filter: outline.Filter(o.setup.Settings.TreeFilter),
		SkipSummary: o.setup.Settings.BranchSummary.SkipPrompt, Now: a.c.Now,
	})}
}

func (a *App) takeTree(msg treeReady) tea.Cmd {
	switch {
	case msg.open != a.open:
		return nil
	case msg.tree == nil:
		return a.say(paint.Muted, "nothing was said yet: there is no tree")
	}
	a.closeTree()
	a.tree = msg.tree
	return tea.Sequence(a.tree.Update(tea.WindowSizeMsg{Width: a.width, Height: a.height}), a.tree.Init())
}

// treeGrown is the tree that is shown, after something was written.
type treeGrown struct {
	open  *opened
	roots []*pith.Node
	leaf  string
}

// renewTree reads the tree anew, if it is shown.
func (a *App) renewTree() tea.Cmd {
	o := a.open
	if o == nil || a.tree == nil {
		return nil
	}
	return func() tea.Msg {
		s := o.session()
		return treeGrown{o, s.Tree(), s.LeafID()}
	}
}

func (a *App) takeGrownTree(msg treeGrown) tea.Cmd {
	if msg.open != a.open || a.tree == nil {
		return nil
	}
	return a.tree.SetTree(msg.roots, msg.leaf)
}

func (a *App) closeTree() {
	if a.tree != nil {
		a.tree.Close()
		a.tree = nil
	}
}

// navigate goes to an entry. A summary can be cancelled: then nothing has
// changed and the tree comes back.
func (a *App) navigate(to treeview.Navigate) tea.Cmd {
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
		return done{then: func(a *App) tea.Cmd { return tea.Batch(a.renewTree(), a.refresh(false)) }}
	})
}
