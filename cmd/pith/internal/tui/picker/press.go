package picker

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
)

// press handles a key. While a question is open, nothing else is done.
func (m *Model) press(p tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.rename != nil:
		return m.pressRename(p)
	case m.confirm != nil:
		return m.pressConfirm(p)
	}
	if m.o.Pick {
		return m.pressPick(p)
	}
	switch m.o.Keys.First(p, keys.SessionDelete, keys.SessionRename, keys.SessionDeleteQuiet, keys.Undo, keys.ForkHere, keys.CloneHere, keys.ExportHere,
		keys.Pin, keys.Archive, keys.Choose, keys.Tag, keys.HandoverHere) {
	case keys.Choose:
		return m.toggle()
	case keys.Tag:
		return m.beginTag()
	case keys.HandoverHere:
		return m.onSelected(func(path string) tea.Msg { return HandOver{path} })
	case keys.Pin:
		return m.mark(pin)
	case keys.Archive:
		return m.archive()
	case keys.SessionDelete:
		return m.askDelete()
	case keys.SessionDeleteQuiet:
		if m.input.Value() == "" {
			return m.askDelete()
		}
		return m.edit(p)
	case keys.SessionRename:
		return m.beginRename()
	case keys.Undo:
		return m.undoDelete()
	case keys.ForkHere:
		return m.onSelected(func(path string) tea.Msg { return Fork{path} })
	case keys.CloneHere:
		return m.onSelected(func(path string) tea.Msg { return Clone{path} })
	case keys.ExportHere:
		return m.onSelected(func(path string) tea.Msg { return Export{path} })
	case "":
		if m.o.Keys.Is(p, keys.InputTab) {
			if len(m.completions) > 0 {
				return m.complete()
			}
			m.moved = true
			return m.toggleScope()
		}
	}
	return m.pressView(p)
}

func (m *Model) pressPick(p tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.o.Keys.Is(p, keys.InputTab) && len(m.completions) > 0:
		return m.complete()
	case m.o.Keys.Is(p, keys.InputTab), m.o.Keys.Is(p, keys.Choose):
		return m.toggle()
	}
	return m.pressView(p)
}

// pressView handles the keys that change what is listed.
func (m *Model) pressView(p tea.KeyPressMsg) tea.Cmd {
	switch m.o.Keys.First(p, keys.ToggleScope, keys.SessionSort, keys.SessionNamed, keys.SessionPath, keys.ToggleForks, keys.ShowArchived) {
	case keys.ToggleScope:
		m.moved = true
		return m.toggleScope()
	case keys.SessionSort:
		m.filter.sort = (m.filter.sort + 1) % sortingCount
	case keys.SessionNamed:
		m.filter.named = !m.filter.named
	case keys.SessionPath:
		m.paths = !m.paths
	case keys.ToggleForks:
		m.filter.noForks = !m.filter.noForks
	case keys.ShowArchived:
		m.filter.archived = !m.filter.archived
	default:
		return m.pressMove(p)
	}
	m.reorder()
	return m.wantPreview()
}

func (m *Model) onSelected(wish func(path string) tea.Msg) tea.Cmd {
	it := m.Selected()
	if it == nil {
		return nil
	}
	msg := wish(it.Path)
	return func() tea.Msg { return msg }
}

// reorder arranges the list again; the position in it stays, as in pi.
func (m *Model) reorder() {
	m.arrange()
	m.at = max(0, min(m.at, len(m.rows)-1))
	m.remember()
}

func (m *Model) pressMove(p tea.KeyPressMsg) tea.Cmd {
	k := m.o.Keys
	if m.focused {
		if cmd, taken := m.pressFocused(p); taken {
			return cmd
		}
	}
	switch {
	case k.Is(p, keys.SelectUp):
		m.focused = true
		return m.move(-1)
	case k.Is(p, keys.SelectDown):
		m.focused = true
		return m.move(1)
	case k.Is(p, keys.SelectPageUp):
		return m.move(-m.pageSize)
	case k.Is(p, keys.SelectPageDown):
		return m.move(m.pageSize)
	case k.Is(p, keys.ScrollTop):
		return m.move(-len(m.rows))
	case k.Is(p, keys.ScrollBottom):
		return m.move(len(m.rows))
	case k.Is(p, keys.SelectConfirm):
		return m.choose()
	case k.Is(p, keys.SelectCancel):
		return m.cancel()
	case p.Text == "/" && (m.focused || m.input.Value() == ""):
		m.focused = false // typing searches; the slash of other screens is not typed
		return nil
	}
	m.focused = false
	return m.edit(p)
}

// cancel leaves the innermost thing: the selection of several, then the search,
// then the list.
func (m *Model) cancel() tea.Cmd {
	switch {
	case len(m.chosen) > 0:
		m.chosen = nil
		return nil
	case m.input.Value() != "":
		m.resumed, m.focused = false, false
		m.input.Set("")
		return m.searchChanged()
	}
	return func() tea.Msg { return Closed{} }
}

// pressFocused handles the letters that move while the list has the focus.
func (m *Model) pressFocused(p tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	switch p.Text {
	case "j":
		return m.move(1), true
	case "k":
		return m.move(-1), true
	case "g":
		return m.move(-len(m.rows)), true
	case "G":
		return m.move(len(m.rows)), true
	}
	return nil, false
}

func (m *Model) move(by int) tea.Cmd {
	m.moved, m.best = true, false
	m.at = max(0, min(m.at+by, len(m.rows)-1))
	m.remember()
	return m.wantPreview()
}

// edit passes a key to the search.
func (m *Model) edit(p tea.KeyPressMsg) tea.Cmd {
	before := m.input.Value()
	m.replaceResumed(p.Text)
	if !m.input.Press(p, m.o.Keys) || m.input.Value() == before {
		return nil
	}
	return m.searchChanged()
}

func (m *Model) paste(text string) tea.Cmd {
	if m.rename != nil {
		m.rename.input.Insert(text)
		return nil
	}
	m.focused = false
	m.replaceResumed(text)
	m.input.Insert(text)
	return m.searchChanged()
}

// replaceResumed removes an earlier search if something else is typed.
func (m *Model) replaceResumed(typed string) {
	if m.resumed && typed != "" {
		m.input.Set("")
	}
	m.resumed = false
}

func (m *Model) searchChanged() tea.Cmd {
	m.moved, m.best = true, m.at == 0
	old := m.filter.query
	m.filter.query = parse(m.input.Value(), m.env())
	m.suggest()
	m.hits.clear(m.filter.query.narrows(&old))
	m.reorder()
	return tea.Batch(m.wantSearch(), m.wantPreview())
}

// toggleScope shows the other scope. A loaded one appears immediately.
func (m *Model) toggleScope() tea.Cmd {
	m.scope = (m.scope + 1) % scopeCount
	m.hits.clear(false)
	m.reorder()
	l := &m.lists[m.scope]
	if l.loaded || l.loading {
		return tea.Batch(m.wantSearch(), m.wantPreview())
	}
	return tea.Batch(m.load(m.scope), m.wantSearch())
}

func (m *Model) wheel(w tea.MouseWheelMsg) tea.Cmd {
	if n := keys.WheelLines(w); n != 0 {
		return m.move(n)
	}
	return nil
}

// click selects the clicked row; a click on the selected one opens it.
func (m *Model) click(c tea.MouseClickMsg) tea.Cmd {
	i := c.Y - m.head + m.first()
	if m.rename != nil || m.confirm != nil || c.Y < m.head || i >= len(m.rows) || i >= m.first()+m.pageSize {
		return nil
	}
	if i == m.at {
		return m.choose()
	}
	m.moved, m.best, m.at = true, false, i
	m.remember()
	return m.wantPreview()
}

func (m *Model) pressConfirm(p tea.KeyPressMsg) tea.Cmd {
	switch dialog.YesNo(p, m.o.Keys) {
	case dialog.Chosen:
		return m.delete()
	case dialog.Cancelled:
		m.confirm = nil
	}
	return nil
}

// InDemo reports whether the demo is shown and nothing is typed or asked: n then starts
// a session.
func (m *Model) InDemo() bool { return m.lists[m.scope].demo && m.Idle() }

// Idle reports whether letters are free for the app: nothing is typed or asked,
// or the list has the focus.
func (m *Model) Idle() bool {
	return !m.Asks() && (m.focused || m.input.Value() == "" || m.resumed)
}

// Asks reports whether keys go to a question or a name.
func (m *Model) Asks() bool { return m.rename != nil || m.confirm != nil }
