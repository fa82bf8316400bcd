package conversation

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// ToggleMark marks or unmarks a turn, given by its index, and goes to the next
// one.
func (m *Model) ToggleMark(turn int) tea.Cmd {
	if turn < 0 || turn >= m.document.size {
		return nil
	}
	p := m.document.use(turn)
	p.marked = !p.marked
	if turn+1 == m.document.size {
		return nil
	}
	return m.toTurn(turn + 1)
}

// Marks returns the marks of turns.
func (m *Model) Marks() Marks { return Marks{&m.document} }

// Marks are the marks of turns, which are given by their index.
type Marks struct{ document *document }

// Has reports whether a turn is marked.
func (m Marks) Has(turn int) bool {
	return m.document.part(turn).marked
}

// Turns returns the marked turns, in order.
func (m Marks) Turns() (turns []int) {
	for i, p := range m.document.parts {
		if p.marked {
			turns = append(turns, i)
		}
	}
	slices.Sort(turns)
	return turns
}

// Clear unmarks all turns. It reports whether any was marked.
func (m Marks) Clear() (any bool) {
	for _, p := range m.document.parts {
		any = any || p.marked
		p.marked = false
	}
	return any
}
