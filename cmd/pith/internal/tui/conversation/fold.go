package conversation

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/inspect"
)

// isOpen reports whether an item is shown in full.
func (m *Model) isOpen(at item) bool {
	p := &m.parts[at.part]
	general := false
	switch p.exchange.Items[at.item].Kind {
	case inspect.Thinking:
		general = m.openThinking
	case inspect.ToolUse, inspect.Shell, inspect.Compaction, inspect.BranchSummary, inspect.System:
		general = m.openTools
	}
	return general != p.open[at.item]
}

// toggle folds or unfolds one item.
func (m *Model) toggle(at item) {
	p := &m.parts[at.part]
	if p.exchange == nil || at.item >= len(p.drawn) {
		return
	}
	if p.open == nil {
		p.open = make(map[int]bool)
	}
	p.open[at.item] = !p.open[at.item]
	p.drawn[at.item] = drawing{}
}

func (m *Model) unfoldAt(at item) {
	if !m.isOpen(at) {
		m.toggle(at)
	}
}

// toggleAll folds or unfolds every item of a sort.
func (m *Model) toggleAll(all *bool) tea.Cmd {
	*all = !*all
	for i := range m.parts {
		m.parts[i].open = nil
	}
	m.redraw()
	return m.want()
}

// current is the item that keys for one item are about: the one that was chosen,
// else the first that begins on the screen.
func (m *Model) current() (item, bool) {
	if len(m.parts) == 0 {
		return item{}, false
	}
	if m.chosen {
		return m.clamp(spot{item: m.cursor}).item, true
	}
	at := m.place()
	if at.line > 0 {
		if after, ok := m.next(at.item); ok && m.heightOf(at.item)-at.line < m.room() {
			return after, true
		}
	}
	return at.item, true
}

// moveCursor chooses the next or the previous item and brings it into sight.
func (m *Model) moveCursor(by int) tea.Cmd {
	at, ok := m.current()
	if !ok {
		return nil
	}
	step := m.next
	if by < 0 {
		step = m.previous
	}
	for to, ok := step(at); ok; to, ok = step(to) {
		if m.heightOf(to) > 0 {
			at = to
			break
		}
	}
	m.cursor, m.chosen = at, true
	m.reveal(at)
	return m.want()
}

// reveal scrolls as little as needed to show the beginning of an item.
func (m *Model) reveal(at item) {
	top := m.place()
	want := spot{item: at}
	if want.before(top) {
		m.top, m.follow = want, false
		return
	}
	end := m.down(top, m.room()-1)
	if !want.before(end) && want != end {
		m.top = m.up(want, m.room()/2)
		m.follow = !m.top.before(m.bottom())
	}
}
