package tui

import (
	"context"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/compare"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/inspect/diff"
)

// branches are what the app does with the branches of the open session.
type branches struct{ *App }

// renderer returns what draws the blocks of the open session outside of the
// conversation.
func (a branches) renderer() blocks.Renderer {
	return blocks.Renderer{Theme: a.theme, Width: 40, Home: a.c.Home, Cwd: a.chat.open.Current().Cwd(), Agent: a.chat.agent()}
}

// treeFilters are pi's names of filters.
var treeFilters = map[string]treeview.Filter{"user-only": treeview.Prompts, "labeled-only": treeview.Labeled}

// showTree shows the tree, at an entry or at the current one.
func (a branches) showTree(selects string) tea.Cmd {
	branch := a.chat.branch
	with := a.renderer()
	return a.makes(a.chat.with(func(_ context.Context, open *live.Session) transient.Then {
		s := open.Current()
		if s.View().Len() == 0 {
			return func() tea.Cmd { return a.say(paint.Dim, "no messages yet") }
		}
		current := currentEntry(s)
		return func() tea.Cmd {
			a.closeTree()
			a.tree = treeview.New(open.Tree(with.Path), treeview.Options{
				Keys: a.c.Keys, Title: a.chat.names(), End: branch, Current: current, Select: selects, Agent: a.chat.agent(),
				Filter: treeFilters[open.Setup.Settings.TreeFilter], Renderer: with, Send: a.wishOfTree,
			})
			return tea.Sequence(a.tree.Update(tea.WindowSizeMsg{Width: a.width, Height: a.height}), a.tree.Init())
		}
	}))
}

// currentEntry returns the ID of the entry that the user sees as the current one.
func currentEntry(s *pith.Session) string {
	if id, err := ops.Position(s); err == nil {
		return id
	}
	return s.LeafID()
}

// renewTree reads the tree again, if it is shown.
func (a branches) renewTree() tea.Cmd {
	if a.tree == nil {
		return nil
	}
	branch := a.chat.branch
	return a.chat.read(func(_ context.Context, open *live.Session) transient.Then {
		current := currentEntry(open.Current())
		return func() tea.Cmd {
			if a.tree == nil {
				return nil
			}
			return a.tree.Renew(branch, current)
		}
	})
}

func (a branches) closeTree() {
	if a.tree != nil {
		a.tree.Close()
		a.tree = nil
	}
}

// showCompare compares the selected branch with the shown path, or the path with the
// longest other one.
func (a branches) showCompare(t target) tea.Cmd {
	end, way := a.chat.branch, t.way
	if way == nil && t.fork != nil {
		way = other(t.fork)
	}
	if way == nil {
		for _, f := range a.chat.forks {
			if w := other(f); w != nil && (way == nil || w.Entries > way.Entries) {
				way = w
			}
		}
	}
	if way == nil {
		return a.say(paint.Dim, "there is one branch: nothing to compare")
	}
	return a.compareEnds(way.End, end)
}

// other returns the longest branch of a fork that is not shown.
func other(f *blocks.Fork) (way *blocks.Way) {
	for i := range f.Ways {
		if w := &f.Ways[i]; !w.Shown && (way == nil || w.Entries > way.Entries) {
			way = w
		}
	}
	return way
}

// compareEnds compares the paths to two entries; "" is the leaf.
func (a branches) compareEnds(left, right string) tea.Cmd {
	s, title, with := a.chat.open.Current(), a.chat.names(), a.renderer()
	return a.prepares("comparing", func(ctx context.Context) done {
		o := compare.Options{Keys: a.c.Keys, Title: title, Branches: len(diff.Ends(s.View())), Renderer: with, Send: a.wishOfCompare}
		err := compared(ctx, &o, diff.Side{Session: s, Leaf: left}, diff.Side{Session: s, Leaf: right})
		if err != nil {
			return done{err: err}
		}
		o.Sides[1].Current = right == "" || right == s.LeafID()
		return done{then: func() tea.Cmd { a.compare = compare.New(o); return nil }}
	})
}

// compared compares two sides.
func compared(ctx context.Context, o *compare.Options, left, right diff.Side) error {
	for _, side := range []*diff.Side{&left, &right} {
		if side.Leaf == "" {
			side.Leaf = side.Session.LeafID()
		}
	}
	found, err := diff.Compare(ctx, left, right)
	if err != nil {
		return err
	}
	o.Common = found.Common
	for i, b := range []*diff.Branch{&found.A, &found.B} {
		side := []diff.Side{left, right}[i]
		s := &o.Sides[i]
		s.Branch = *b
		if len(b.Turns) > 0 {
			s.Title = b.Turns[0].Text
		}
		if err := readSide(ctx, s, side, b.First); err != nil {
			return err
		}
	}
	return nil
}

// mostCompared is the number of turns of a branch that are read.
const mostCompared = 200

// readSide reads the turns of a branch from its first entry on.
func readSide(ctx context.Context, s *compare.Side, side diff.Side, first string) error {
	if first == "" {
		return nil
	}
	r, err := inspect.Open(side.Session, inspect.Scope{Leaf: side.Leaf})
	if err != nil {
		return err
	}
	from, err := r.Holding(first)
	if err != nil {
		return err
	}
	for i := from; i < min(r.Len(), from+mostCompared); i++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t, err := r.Turn(i, inspect.Detail{MaxContent: 64 << 10, Brief: true})
		if err != nil {
			return err
		}
		if i == from {
			for len(t.Items) > 0 && string(t.Items[0].EntryID) != first {
				t.Items = t.Items[1:]
			}
		}
		for k := range t.Items {
			if s.Label == "" {
				s.Label = string(t.Items[k].Label)
			}
		}
		s.Tally.AddTurn(t)
		s.Turns = append(s.Turns, t)
	}
	return nil
}

// chooseCompared asks for the branch to compare with the current one.
func (a branches) chooseCompared() tea.Cmd {
	var ways []*blocks.Way
	var texts []string
	for _, f := range a.chat.forks {
		for i := range f.Ways {
			if w := &f.Ways[i]; !w.Shown {
				ways, texts = append(ways, w), append(texts, w.Text+"  ("+humanize.Count(w.Entries, "entry")+")")
			}
		}
	}
	if len(ways) == 0 {
		return a.say(paint.Dim, "there is no other branch")
	}
	a.choose("Compare with the current branch", "compare", texts, 0, func(i int) tea.Cmd { return a.compareEnds(ways[i].End, a.chat.branch) })
	return nil
}

// compareSessions asks for the session to compare one of the list with.
func (a branches) compareSessions(it *picker.Item) tea.Cmd {
	return a.prepares("comparing", func(ctx context.Context) done {
		others, err := a.library.related(ctx, it)
		if err != nil {
			return done{err: err}
		}
		texts := make([]string, len(others))
		for i := range others {
			texts[i] = termsafe.Fit(others[i].Title(), 80)
		}
		return done{then: func() tea.Cmd {
			if len(others) == 0 {
				return a.say(paint.Dim, "there is no other session in "+filepath.Base(it.Cwd))
			}
			a.choose("Compare with", "compare", texts, 0, func(i int) tea.Cmd { return a.compareFiles(it, others[i].Path) })
			return nil
		}}
	})
}

func (a branches) compareFiles(it *picker.Item, path string) tea.Cmd {
	with := blocks.Renderer{Theme: a.theme, Width: 40, Home: a.c.Home, Cwd: it.Cwd, Agent: facts.AgentOf(it.Root)}
	return a.prepares("comparing", func(ctx context.Context) done {
		o := compare.Options{Keys: a.c.Keys, Title: []string{filepath.Base(it.Cwd), it.Title()}, Renderer: with, Send: a.wishOfCompare}
		err := a.library.reading(it.Path)(ctx, func(left *pith.Session) error {
			return a.library.reading(path)(ctx, func(right *pith.Session) error {
				return compared(ctx, &o, diff.Side{Session: left}, diff.Side{Session: right})
			})
		})
		if err != nil {
			return done{err: err}
		}
		return done{then: func() tea.Cmd { a.compare = compare.New(o); return nil }}
	})
}

// showForks asks at which prompt to fork the open session.
func (a branches) showForks() tea.Cmd {
	return a.makes(a.chat.with(func(_ context.Context, open *live.Session) transient.Then {
		list, err := live.Messages(open.Current())
		return func() tea.Cmd { return a.chooseFork("", list, err) }
	}))
}

// showForksOf asks at which prompt to fork a session of the list. The session
// is opened when a prompt is chosen: canceling returns to the list.
func (a branches) showForksOf(path string) tea.Cmd {
	return a.makes(func(ctx context.Context) transient.Then {
		var list []live.Message
		err := a.library.reading(path)(ctx, func(s *pith.Session) (err error) {
			list, err = live.Messages(s)
			return err
		})
		return func() tea.Cmd { return a.chooseFork(path, list, err) }
	})
}

// chooseFork asks for one of the prompts of a session; path is "" for the open one.
func (a branches) chooseFork(path string, messages []live.Message, err error) tea.Cmd {
	switch {
	case err != nil:
		return a.sayError(err)
	case len(messages) == 0:
		return a.say(paint.Dim, "no prompts to fork from")
	}
	texts := make([]string, len(messages))
	for i, m := range messages {
		texts[i] = m.Text
	}
	a.choose("Fork before a prompt", "fork", texts, len(texts)-1, func(i int) tea.Cmd {
		id := messages[i].ID
		a.closeTree()
		if path == "" {
			return a.commands.forkAt(id)
		}
		a.next = func() tea.Cmd { return a.commands.forkAt(id) }
		return a.openSession(path, found{})
	})
	return nil
}
