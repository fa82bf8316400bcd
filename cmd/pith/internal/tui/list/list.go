// Package list implements the one list of the terminal app: sessions, trees, dialogs
// and commands are rows with a cursor. A row may have several lines, such as a heading
// above it.
//
// The list keeps positions only: its owner has the rows and draws them.
//
// # Invariants
//
//	T1  The selected row is among the shown lines.
//	T2  A key costs as much as the shown part, however many rows there are.
package list

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
)

// A Model is a list. The zero Model is empty.
type Model struct {
	// Len is the number of rows, and At the selected one.
	Len, At int
	// Height returns the number of lines of a row, including Head; nil means one.
	Height func(i int) int
	// Head reports whether a row begins a section, with a heading line above it; nil
	// means that there are none.
	Head func(i int) bool

	top  int // the first shown row
	page int // number of lines
}

// Resize sets the number of lines.
func (m *Model) Resize(lines int) { m.page = max(1, lines) }

func (m *Model) height(i int) int {
	if m.Height == nil {
		return 1
	}
	return m.Height(i)
}

// Move selects another row, by rows. It stays within the list.
func (m *Model) Move(by int) { m.Select(m.At + by) }

// Select selects a row, or the nearest that exists.
func (m *Model) Select(i int) { m.At = max(0, min(i, m.Len-1)) }

// Page moves by a page, down or up.
func (m *Model) Page(by int) {
	at, used := m.At, 0
	for next := at + by; next >= 0 && next < m.Len; next += by {
		if used += m.height(next); used > m.page-1 {
			break
		}
		at = next
	}
	if at == m.At {
		at += by
	}
	m.Select(at)
}

// Section selects the first row of the next section, or of the previous one: of this one
// unless it is selected.
func (m *Model) Section(by int) {
	if m.Head == nil {
		return
	}
	for i := m.At + by; i >= 0 && i < m.Len; i += by {
		if m.Head(i) {
			m.At = i
			return
		}
	}
}

// Press handles the keys that move. It reports whether the key was one.
func (m *Model) Press(p tea.KeyPressMsg, k *keys.Map) bool {
	switch k.First(p, keys.SelectUp, keys.SelectDown, keys.SelectPageUp, keys.SelectPageDown, keys.ScrollTop, keys.ScrollBottom, keys.PreviousPrompt, keys.NextPrompt) {
	case keys.SelectUp:
		m.Move(-1)
	case keys.SelectDown:
		m.Move(1)
	case keys.SelectPageUp:
		m.Page(-1)
	case keys.SelectPageDown:
		m.Page(1)
	case keys.ScrollTop:
		m.Select(0)
	case keys.ScrollBottom:
		m.Select(m.Len - 1)
	case keys.PreviousPrompt:
		m.Section(-1)
	case keys.NextPrompt:
		m.Section(1)
	default:
		return false
	}
	return true
}

// scroll shows the selected row with as little change as possible.
func (m *Model) scroll() {
	m.top = max(0, min(m.top, m.Len-1))
	if m.At < m.top {
		m.top = m.At
	}
	used := 0
	for i := m.At; i >= m.top; i-- {
		if used += m.height(i); used > m.page {
			m.top = min(i+1, m.At)
			return
		}
	}
	for i := m.At + 1; i < m.Len && used < m.page; i++ {
		used += m.height(i)
	}
	for m.top > 0 { // no empty space below the end
		if used += m.height(m.top - 1); used > m.page {
			return
		}
		m.top--
	}
}

// View returns the shown lines: draw returns those of a row.
func (m *Model) View(draw func(i int) []string) []string {
	if m.Len == 0 {
		return nil
	}
	m.scroll()
	var lines []string
	for i := m.top; i < m.Len && len(lines) < m.page; i++ {
		row := draw(i)
		if i == m.At && len(row) > m.page { // a low window: the row, not its heading
			row = row[len(row)-m.page:]
		}
		lines = append(lines, row...)
	}
	return lines[:min(len(lines), m.page)]
}

// RowAt returns the row on a shown line, or false.
func (m *Model) RowAt(line int) (int, bool) {
	for i := m.top; i < m.Len && line >= 0; i++ {
		if line -= m.height(i); line < 0 {
			return i, true
		}
	}
	return 0, false
}
