package conversation

import tea "charm.land/bubbletea/v2"

// ToggleMark marks or unmarks a turn, given by its index, and goes to the next
// one.
func (m *Model) ToggleMark(turn int) tea.Cmd {
	if turn < 0 || turn >= len(m.document.parts) {
		return nil
	}
	m.document.parts[turn].marked = !m.document.parts[turn].marked
	if turn+1 == len(m.document.parts) {
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
	return turn < len(m.document.parts) && m.document.parts[turn].marked
}

// Turns returns the marked turns, in order.
func (m Marks) Turns() (turns []int) {
	for i := range m.document.parts {
		if m.document.parts[i].marked {
			turns = append(turns, i)
		}
	}
	return turns
}

// Clear unmarks all turns. It reports whether any was marked.
func (m Marks) Clear() (any bool) {
	for i := range m.document.parts {
		any = any || m.document.parts[i].marked
		m.document.parts[i].marked = false
	}
	return any
}
