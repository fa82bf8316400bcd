package picker

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// press handles a key. While a question is open, nothing else is done.
func (m *Model) press(p tea.KeyPressMsg) tea.Cmd {
	k := m.o.Keys
	switch {
	case m.confirm != nil:
		return m.pressConfirm(p)
	case keys.Typed(p):
		return m.typed(p)
	}
	if !m.o.Pick {
		switch k.First(p, keys.SessionDelete, keys.SessionDeleteQuiet, keys.SessionRename, keys.MessageCopy) {
		case keys.SessionDeleteQuiet:
			if m.input.Value() != "" {
				break
			}
			fallthrough
		case keys.SessionDelete:
			return acts{m}.askDelete()
		case keys.SessionRename:
			return acts{m}.askName()
		case keys.MessageCopy:
			return acts{m}.askCopy()
		}
	}
	switch k.First(p, keys.SelectCancel, keys.Clear, keys.SelectConfirm, keys.InputTab, keys.SessionSort, keys.SessionNamed, keys.SessionPath, keys.Choose) {
	case keys.SelectCancel:
		return m.cancel()
	case keys.Clear: // as Esc, but it does not stop at what is typed
		if m.input.Value() != "" {
			return m.setSearch("")
		}
		return m.o.Send(Closed{})
	case keys.SelectConfirm:
		return m.choose()
	case keys.InputTab:
		if len(m.completions) > 0 {
			return m.complete()
		}
		m.moved = true
		return m.toggleScope()
	case keys.SessionSort:
		return m.nextOrder()
	case keys.SessionNamed:
		return m.toggleNamed()
	case keys.SessionPath:
		m.paths = !m.paths
		return nil
	case keys.Choose:
		return acts{m}.toggle()
	}
	return m.pressMove(p)
}

// Waits reports whether a key acts on a session that is not listed yet.
func (m *Model) Waits(p tea.KeyPressMsg) bool {
	l := &m.lists[m.scope]
	if !l.loaded && m.list.At+1 >= len(m.rows) && !keys.Typed(p) && m.o.Keys.First(p, keys.SelectDown, keys.SelectPageDown) != "" {
		return true
	}
	if len(m.rows) > 0 || l.loaded && !m.hits.running || m.confirm != nil {
		return false
	}
	if keys.Typed(p) {
		return m.input.Value() == "" && m.o.Keys.Is(p, keys.Actions)
	}
	return keys.Matches(p, lineFeed) ||
		m.o.Keys.First(p, keys.SelectConfirm, keys.SelectUp, keys.SelectDown, keys.SelectPageUp, keys.SelectPageDown, keys.SessionDelete, keys.SessionRename, keys.MessageCopy, keys.Choose) != ""
}

// lineFeed is what Enter sends before the app has the terminal.
const lineFeed = "ctrl+j"

// pressMove handles the keys that move in the list. After one of the arrows the list has
// the focus; before it, the other arrows are those of the search.
func (m *Model) pressMove(p tea.KeyPressMsg) tea.Cmd {
	k := m.o.Keys
	at := m.list.At
	switch action := k.First(p, keys.SelectUp, keys.SelectDown, keys.SelectPageUp, keys.SelectPageDown, keys.TreeFoldOrUp, keys.TreeUnfoldOrDown, keys.ScrollTop, keys.ScrollBottom, keys.PreviousPrompt, keys.NextPrompt); {
	case action == keys.TreeFoldOrUp && m.focused, action == keys.TreeUnfoldOrDown && m.focused:
		return m.foldForks(action == keys.TreeFoldOrUp)
	case action == "" && keys.Matches(p, lineFeed):
		return m.choose()
	case action == "", action == keys.TreeFoldOrUp, action == keys.TreeUnfoldOrDown:
		return m.edit(p)
	case (action == keys.ScrollTop || action == keys.ScrollBottom) && !m.focused && m.input.Value() != "":
		return m.edit(p)
	case action == keys.SelectUp && at == 0 && !m.focused:
		m.focused = true
		return nil
	}
	m.focused = true
	m.list.Press(p, k)
	return m.selected(m.list.At)
}

// typed handles a character: it is a key while the list has the focus, or for the two
// keys that work before anything is typed; otherwise it is typed.
func (m *Model) typed(p tea.KeyPressMsg) tea.Cmd {
	k := m.o.Keys
	free := m.focused || m.input.Value() == "" || m.resumed
	switch {
	case m.focused && k.First(p, keys.SelectUp, keys.SelectDown, keys.ScrollTop, keys.ScrollBottom, keys.PreviousPrompt, keys.NextPrompt) != "":
		m.list.Press(p, k)
		return m.selected(m.list.At)
	case free && !m.o.Pick && k.Is(p, keys.Actions):
		acts{m}.askAction()
		return nil
	case free && k.Is(p, keys.Help):
		return m.o.Send(Wish{Action: keys.Help})
	case free && k.Is(p, keys.SearchOpen):
		m.focused = false // the slash of other screens is not typed
		return nil
	}
	m.focused = false
	return m.edit(p)
}

// edit passes a key to the search.
func (m *Model) edit(p tea.KeyPressMsg) tea.Cmd {
	before := m.input.Value()
	if m.resumed && keys.Typed(p) {
		m.input.Set("")
	}
	m.resumed, m.focused = false, false
	m.input.Press(p)
	if m.input.Value() == before {
		return nil
	}
	return m.searchChanged()
}

func (m *Model) paste(text string) tea.Cmd {
	if m.resumed {
		m.input.Set("")
	}
	m.resumed, m.focused = false, false
	m.input.Insert(text)
	return m.searchChanged()
}

// cancel leaves the innermost thing: the selection of several, then the search,
// then the list.
func (m *Model) cancel() tea.Cmd {
	switch {
	case len(m.chosen) > 0:
		m.chosen = nil
		return nil
	case m.input.Value() != "":
		return m.setSearch("")
	}
	return m.o.Send(Closed{})
}

func (m *Model) setSearch(text string) tea.Cmd {
	m.resumed, m.focused = false, false
	m.input.Set(text)
	return m.searchChanged()
}

func (m *Model) searchChanged() tea.Cmd {
	m.moved, m.best = true, m.list.At == 0
	old := m.filter.query
	m.filter.set(m.input.Value(), m.parse)
	m.suggest()
	m.hits.clear(m.filter.query.narrows(&old))
	m.reorder()
	return tea.Batch(finder{m}.wantSearch(), m.wantPreview())
}

// toggleNamed adds or removes the filter for sessions with a name.
func (m *Model) toggleNamed() tea.Cmd {
	text := strings.Join(strings.Fields(m.input.Value()), " ")
	if without, had := withoutNamed(text); had {
		return m.setSearch(without)
	}
	if text != "" {
		text += " "
	}
	return m.setSearch(text + named)
}

// nextOrder changes the order; the position in the list stays.
func (m *Model) nextOrder() tea.Cmd {
	m.filter.next()
	m.reorder()
	return m.wantPreview()
}

// selected selects a row.
func (m *Model) selected(i int) tea.Cmd {
	m.moved, m.best = true, false
	m.list.Len = len(m.rows)
	m.list.Select(i)
	m.remember()
	return m.wantPreview()
}

// remember makes the selected session the one that stays selected.
func (m *Model) remember() {
	if it := m.Selected(); it != nil {
		m.wanted = it.Key
	}
}

// toggleScope shows the other scope. A loaded one appears immediately.
func (m *Model) toggleScope() tea.Cmd {
	m.scope = (m.scope + 1) % scopeCount
	m.reorder()
	l := &m.lists[m.scope]
	if l.loaded || l.loading {
		return tea.Batch(finder{m}.wantSearch(), m.wantPreview())
	}
	return tea.Batch(m.load(m.scope), finder{m}.wantSearch())
}

// foldForks hides the forks of the selected session, or shows them. Folding a fork
// selects its parent.
func (m *Model) foldForks(fold bool) tea.Cmd {
	it := m.Selected()
	if it == nil {
		return nil
	}
	if m.filter.folded == nil {
		m.filter.folded = map[string]bool{}
	}
	switch {
	case !fold:
		delete(m.filter.folded, it.Key)
	case m.rows[m.list.At].forks > 0 && !m.filter.folded[it.Key]:
		m.filter.folded[it.Key] = true
	case it.ParentKey != "":
		m.wanted = it.ParentKey
	}
	m.moved, m.best = true, false
	m.refresh()
	m.remember()
	return m.wantPreview()
}

// click selects the clicked row; a click on the selected one opens it.
func (m *Model) click(c tea.MouseClickMsg) tea.Cmd {
	above, _ := paint.Around(m.height)
	i, ok := m.list.RowAt(c.Y - above)
	if m.confirm != nil || !ok || c.Y < above || c.Y >= above+paint.Room(m.height) {
		return nil
	}
	if i == m.list.At {
		return m.choose()
	}
	return m.selected(i)
}

func (m *Model) pressConfirm(p tea.KeyPressMsg) tea.Cmd {
	k := m.o.Keys
	switch {
	case k.Is(p, keys.SelectConfirm) || p.Text == "y" || p.Text == "Y":
		return acts{m}.delete()
	case k.Is(p, keys.SelectCancel) || k.Is(p, keys.Clear) || p.Text == "n" || p.Text == "N":
		m.confirm = nil
	}
	return nil
}
