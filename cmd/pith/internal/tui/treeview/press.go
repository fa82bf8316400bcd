package treeview

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// press handles a key.
func (m *Model) press(p tea.KeyPressMsg) tea.Cmd {
	k := m.o.Keys
	if m.typing {
		return m.pressSearch(p)
	}
	switch action := k.First(p, keys.SelectConfirm, keys.SelectCancel, keys.Clear, keys.TreeFilterNext, keys.TreeFilterPrevious, keys.TreeFilterDefault,
		keys.TreeFilterAll, keys.TreeFilterUser, keys.TreeFilterLabeled, keys.TreeFoldOrUp, keys.TreeUnfoldOrDown, keys.SearchOpen, keys.SearchNext,
		keys.SearchPrevious, keys.NextBranch, keys.PreviousBranch, keys.MessageCopy); action {
	case keys.SelectCancel:
		if len(m.words) > 0 {
			m.words, m.found = nil, nil
			return nil
		}
		return m.wish(action)
	case keys.Clear:
		return m.wish(keys.SelectCancel)
	case keys.TreeFilterNext:
		return m.setFilter((m.filter + 1) % filterCount)
	case keys.TreeFilterPrevious:
		return m.setFilter((m.filter + filterCount - 1) % filterCount)
	case keys.TreeFilterDefault, keys.TreeFilterAll:
		return m.setFilter(All)
	case keys.TreeFilterUser:
		return m.setFilter(Prompts)
	case keys.TreeFilterLabeled:
		return m.setFilter(Labeled)
	case keys.TreeFoldOrUp, keys.TreeUnfoldOrDown:
		return m.turnFold(action == keys.TreeUnfoldOrDown)
	case keys.SearchOpen:
		m.search, m.typing = input.New(k, ""), true
		return nil
	case keys.SearchNext:
		return m.match(1)
	case keys.SearchPrevious:
		return m.match(-1)
	case keys.NextBranch:
		return m.toFork(1)
	case keys.PreviousBranch:
		return m.toFork(-1)
	case keys.MessageCopy:
		return m.copy()
	case keys.SelectConfirm:
		return m.wish(action)
	}
	m.list.Len = len(m.rows)
	if m.list.Press(p, k) {
		return m.moved()
	}
	return nil
}

func (m *Model) pressSearch(p tea.KeyPressMsg) tea.Cmd {
	k := m.o.Keys
	switch {
	case k.Is(p, keys.SelectCancel), k.Is(p, keys.Clear):
		m.typing = false
		m.words, m.found = nil, nil
	case k.Is(p, keys.SelectConfirm):
		m.typing = false
		return m.searchFor(m.search.Value())
	default:
		m.search.Press(p)
	}
	return nil
}

func (m *Model) wish(action keys.Action) tea.Cmd {
	r, _ := m.Selected()
	return m.o.Send(Wish{action, r})
}

func (m *Model) setFilter(f Filter) tea.Cmd {
	m.filter = f
	m.arrange()
	return m.moved()
}

// turnFold unfolds or folds a branch; elsewhere it goes to the next or previous prompt.
func (m *Model) turnFold(unfold bool) tea.Cmd {
	r, ok := m.Selected()
	switch {
	case !ok:
	case unfold && r.Way != nil:
		return m.unfold(r)
	case !unfold && (r.depth > 0 || r.Way != nil && m.open[r.Way.First]):
		m.fold()
	case unfold:
		m.list.Section(1)
	default:
		m.list.Section(-1)
	}
	return m.moved()
}

// toFork selects the next or the previous row of a branch that was left.
func (m *Model) toFork(by int) tea.Cmd {
	for i := m.list.At + by; i >= 0 && i < len(m.rows); i += by {
		if m.rows[i].Way != nil {
			m.list.Select(i)
			return m.moved()
		}
	}
	return transient.Say(paint.Dim, "no more branches")
}

// click selects the clicked row; a click on the selected one chooses it.
func (m *Model) click(c tea.MouseClickMsg) tea.Cmd {
	above, _ := paint.Around(m.height)
	i, ok := m.list.RowAt(c.Y - above)
	if !ok || c.Y < above || c.Y >= above+paint.Room(m.height) {
		return nil
	}
	if i == m.list.At {
		return m.wish(keys.SelectConfirm)
	}
	m.list.Select(i)
	return m.moved()
}

// copy copies the text of the selected entry to the clipboard.
func (m *Model) copy() tea.Cmd {
	r, ok := m.Selected()
	if !ok {
		return nil
	}
	return m.others.Join(func(ctx context.Context) transient.Then {
		text, err := m.source.Text(ctx, r.Last)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return transient.Say(paint.Error, "not copied: "+err.Error())
			case text == "":
				return transient.Say(paint.Error, "this entry has no text to copy")
			}
			return tea.Batch(tea.SetClipboard(text), transient.Say(paint.Plain, "Copied"))
		}
	})
}
