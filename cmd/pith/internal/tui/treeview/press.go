package treeview

import (
	"context"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// press handles a key. While a question is open, nothing else is done.
func (m *Model) press(p tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.label != nil:
		return m.pressLabel(p)
	case m.question != nil:
		return m.pressQuestion(p)
	}
	k := m.o.Keys
	letter := p.Text
	if m.typing {
		letter = ""
	}
	switch {
	case letter == "k" || k.Is(p, keys.SelectUp):
		return m.step(-1)
	case letter == "j" || k.Is(p, keys.SelectDown):
		return m.step(1)
	case letter == "g" || k.Is(p, keys.ScrollTop):
		return m.moveTo(0)
	case letter == "G" || k.Is(p, keys.ScrollBottom):
		return m.moveTo(m.rows.Len() - 1)
	case letter == "d":
		return m.compare()
	case letter == "/":
		m.typing = true
		return nil
	case k.Is(p, keys.TreeFoldOrUp):
		return m.foldOrUp()
	case k.Is(p, keys.TreeUnfoldOrDown):
		return m.unfoldOrDown()
	case k.Is(p, keys.CursorLeft) || k.Is(p, keys.SelectPageUp):
		return m.moveTo(max(0, m.at-m.page))
	case k.Is(p, keys.CursorRight) || k.Is(p, keys.SelectPageDown):
		return m.moveTo(min(m.rows.Len()-1, m.at+m.page))
	case k.Is(p, keys.SelectConfirm):
		return m.choose()
	case k.Is(p, keys.SelectCancel):
		if m.typing {
			m.typing = false
			return m.setSearch("")
		}
		if m.compared != "" {
			m.compared = ""
			return nil
		}
		return send(Closed{})
	}
	return m.pressMore(p)
}

// compare remembers the selected entry, or compares it with the remembered one.
func (m *Model) compare() tea.Cmd {
	n := m.Selected()
	if n == nil {
		return nil
	}
	first := m.compared
	switch first {
	case "":
		m.compared = n.ID
		return nil
	case n.ID:
		m.compared = ""
		return nil
	}
	m.compared = ""
	return send(Compare{first, n.ID})
}

// pressMore handles the keys that change the view, and those for the entry
// under the cursor. Other keys are typed into the search, if there is one.
func (m *Model) pressMore(p tea.KeyPressMsg) tea.Cmd {
	switch m.o.Keys.First(p, keys.MessageCopy, keys.TreeEditLabel, keys.TreeLabelTime, keys.TreeFilterDefault, keys.TreeFilterNoTools,
		keys.TreeFilterUser, keys.TreeFilterLabeled, keys.TreeFilterAll, keys.TreeFilterNext, keys.TreeFilterPrevious,
		keys.ForkHere, keys.CloneHere, keys.ExportHere, keys.DeleteBackward) {
	case keys.MessageCopy:
		return m.copy()
	case keys.TreeEditLabel:
		return m.beginLabel()
	case keys.TreeLabelTime:
		m.labelTimes = !m.labelTimes
		return nil
	case keys.TreeFilterDefault:
		return m.setFilter(outline.Default)
	case keys.TreeFilterNoTools:
		return m.toggleFilter(outline.NoTools)
	case keys.TreeFilterUser:
		return m.toggleFilter(outline.UserOnly)
	case keys.TreeFilterLabeled:
		return m.toggleFilter(outline.LabeledOnly)
	case keys.TreeFilterAll:
		return m.toggleFilter(outline.All)
	case keys.TreeFilterNext:
		return m.cycleFilter(1)
	case keys.TreeFilterPrevious:
		return m.cycleFilter(-1)
	case keys.ForkHere:
		if n := m.Selected(); n != nil && n.Role != "user" {
			return m.say(paint.Error, "a fork starts before one of your messages; "+m.o.Keys.Label(keys.CloneHere)+" clones up to here")
		}
		return m.onSelected(func(id string) tea.Msg { return Fork{id} })
	case keys.CloneHere:
		return m.onSelected(func(id string) tea.Msg { return Clone{id} })
	case keys.ExportHere:
		return m.onSelected(func(id string) tea.Msg { return Export{id} })
	case keys.DeleteBackward:
		m.typing = m.typing && m.search != ""
		_, size := utf8.DecodeLastRuneInString(m.search)
		return m.setSearch(m.search[:len(m.search)-size])
	}
	if !m.typing || p.Text == "" || p.Mod&(tea.ModCtrl|tea.ModAlt) != 0 || m.search == "" && strings.TrimSpace(p.Text) == "" {
		return nil
	}
	return m.setSearch(m.search + termsafe.Line(p.Text))
}

func send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

func (m *Model) onSelected(wish func(id string) tea.Msg) tea.Cmd {
	if n := m.Selected(); n != nil {
		return send(wish(n.ID))
	}
	return nil
}

// step moves by one row, and wraps around.
func (m *Model) step(by int) tea.Cmd {
	if m.rows.Len() == 0 {
		return nil
	}
	return m.moveTo((m.at + by + m.rows.Len()) % m.rows.Len())
}

func (m *Model) moveTo(row int) tea.Cmd {
	if m.rows.Len() == 0 {
		return nil
	}
	m.at = row
	m.kept = m.Selected()
	return tea.Batch(m.wantNotes(), m.wantPreview())
}

// foldOrUp folds the branch that starts at the cursor, or moves to the start of
// the current stretch.
func (m *Model) foldOrUp() tea.Cmd {
	if m.rows.Len() == 0 {
		return nil
	}
	r := m.rows.At(m.at)
	if r.Foldable && !r.Folded {
		if m.folded == nil {
			m.folded = make(map[int]bool)
		}
		m.folded[r.Pos] = true
		m.refresh()
		return m.wantNotes()
	}
	i := r.Parent
	for i != outline.None {
		if r = m.rows.At(i); r.Foldable || r.Parent == outline.None {
			break
		}
		i = r.Parent
	}
	return m.moveTo(max(i, 0))
}

// unfoldOrDown unfolds the branch at the cursor, or moves down to the next
// split, or to the end of the branch.
func (m *Model) unfoldOrDown() tea.Cmd {
	if m.rows.Len() == 0 {
		return nil
	}
	if r := m.rows.At(m.at); r.Folded {
		delete(m.folded, r.Pos)
		m.refresh()
		return m.wantNotes()
	}
	end := m.at
	for i, r := range m.rows.All(m.at+1, m.rows.Len()) { // a first child is the next row
		if r.Parent != i-1 {
			break
		}
		if end = i; r.Branch {
			break
		}
	}
	return m.moveTo(end)
}

func (m *Model) setFilter(f outline.Filter) tea.Cmd {
	m.filter = f
	m.folded = nil
	m.reselect()
	return tea.Batch(m.wantNotes(), m.wantPreview())
}

// toggleFilter sets a filter, or the default one if it is set already.
func (m *Model) toggleFilter(f outline.Filter) tea.Cmd {
	if m.filter == f {
		f = outline.Default
	}
	return m.setFilter(f)
}

func (m *Model) cycleFilter(by int) tea.Cmd {
	n := len(outline.Filters)
	for i, f := range outline.Filters {
		if f == m.filter {
			return m.setFilter(outline.Filters[(i+by+n)%n])
		}
	}
	return m.setFilter(outline.Default)
}

func (m *Model) paste(text string) tea.Cmd {
	switch {
	case m.label != nil:
		m.label.input.Insert(text)
		return nil
	case m.question != nil:
		return m.question.update(tea.PasteMsg{Content: termsafe.Text(text)})
	}
	m.typing = true
	return m.setSearch(m.search + termsafe.Line(text))
}

func (m *Model) wheel(w tea.MouseWheelMsg) tea.Cmd {
	by := keys.WheelLines(w)
	if by == 0 || m.rows.Len() == 0 || m.label != nil || m.question != nil {
		return nil
	}
	return m.moveTo(max(0, min(m.at+by, m.rows.Len()-1)))
}

// click selects the clicked row; a click on the selected one chooses it.
func (m *Model) click(c tea.MouseClickMsg) tea.Cmd {
	if m.label != nil || m.question != nil {
		return nil
	}
	line := c.Y - m.headLines(m.width)
	i := m.first() + line
	if line < 0 || line >= m.page || i >= m.rows.Len() {
		return nil
	}
	if i == m.at {
		return m.choose()
	}
	return m.moveTo(i)
}

func (m *Model) beginLabel() tea.Cmd {
	if n := m.Selected(); n != nil {
		label := m.o.Tree.At(n.Pos).Label
		m.label = &labelling{n, dialog.NewInput(label)}
	}
	return nil
}

func (m *Model) pressLabel(p tea.KeyPressMsg) tea.Cmd {
	l := m.label
	switch {
	case m.o.Keys.Is(p, keys.SelectCancel):
		m.label = nil
	case m.o.Keys.Is(p, keys.SelectConfirm):
		m.label = nil
		return send(SetLabel{l.entry.ID, strings.TrimSpace(l.input.Value())})
	default:
		l.input.Press(p, m.o.Keys)
	}
	return nil
}

// copy copies the text of the selected entry to the clipboard.
func (m *Model) copy() tea.Cmd {
	n := m.Selected()
	if n == nil {
		return nil
	}
	return m.window.Join(func(ctx context.Context) transient.Then {
		text, err := m.source.Text(ctx, n)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return m.say(paint.Error, "not copied: "+err.Error())
			case text == "":
				return m.say(paint.Error, "this entry has no text to copy")
			}
			return tea.Batch(tea.SetClipboard(text), m.say(paint.Accent, "copied"))
		}
	})
}
