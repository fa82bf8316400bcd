package conversation

import tea "charm.land/bubbletea/v2"

// items is how many items a part has; one stands for what is not read yet.
func (m *Model) items(part int) int { return max(1, len(m.parts[part].drawn)) }

// height is how many lines an item takes.
func (m *Model) heightOf(it item) int { return len(m.lines(it)) }

// next is the item behind another; ok is false at the end.
func (m *Model) next(it item) (item, bool) {
	switch {
	case it.part >= len(m.parts):
		return it, false
	case it.item+1 < m.items(it.part):
		return item{it.part, it.item + 1}, true
	case it.part+1 < len(m.parts):
		return item{it.part + 1, 0}, true
	}
	return it, false
}

// previous is the item before another; ok is false at the beginning.
func (m *Model) previous(it item) (item, bool) {
	switch {
	case it.item > 0:
		return item{it.part, min(it.item, m.items(it.part)) - 1}, true
	case it.part > 0:
		return item{it.part - 1, m.items(it.part-1) - 1}, true
	}
	return it, false
}

func (m *Model) last() item {
	if len(m.parts) == 0 {
		return item{}
	}
	p := len(m.parts) - 1
	return item{p, m.items(p) - 1}
}

// room is how many lines of the session are shown.
func (m *Model) room() int {
	n := m.height
	if m.find.shown() {
		n--
	}
	return max(1, n)
}

// bottom is the spot at the top of the screen when the end is shown.
func (m *Model) bottom() spot {
	left := m.room() - len(m.liveLines())
	if len(m.parts) == 0 {
		return spot{}
	}
	at := m.last()
	for {
		h := m.heightOf(at)
		if h >= left {
			return spot{at, h - max(left, 0)}
		}
		left -= h
		before, ok := m.previous(at)
		if !ok {
			return spot{item: at}
		}
		at = before
	}
}

// place is the first line that is shown.
func (m *Model) place() spot {
	if m.follow {
		return m.bottom()
	}
	at := m.clamp(m.top)
	if end := m.bottom(); end.before(at) { // no empty room below the end
		return end
	}
	return at
}

// clamp is a spot that exists: an exchange may have other items now.
func (m *Model) clamp(s spot) spot {
	if s.part >= len(m.parts) {
		return m.bottom()
	}
	s.item.item = min(s.item.item, m.items(s.part)-1)
	s.line = max(0, min(s.line, m.heightOf(s.item)-1))
	return s
}

// before reports whether a spot stands above another.
func (s spot) before(o spot) bool {
	if s.part != o.part {
		return s.part < o.part
	}
	if s.item.item != o.item.item {
		return s.item.item < o.item.item
	}
	return s.line < o.line
}

// scroll moves by lines.
func (m *Model) scroll(by int) tea.Cmd {
	if len(m.parts) == 0 {
		return nil
	}
	at := m.place()
	if by < 0 {
		at = m.up(at, -by)
		m.follow = false
	} else {
		at = m.down(at, by)
		m.follow = !at.before(m.bottom())
	}
	m.top = at
	m.chosen = false
	return m.want()
}

func (m *Model) up(at spot, lines int) spot {
	for lines > at.line {
		lines -= at.line
		before, ok := m.previous(at.item)
		if !ok {
			return spot{item: at.item}
		}
		at = spot{before, m.heightOf(before)}
	}
	at.line -= lines
	return at
}

func (m *Model) down(at spot, lines int) spot {
	for {
		rest := m.heightOf(at.item) - at.line
		if lines < rest {
			at.line += lines
			return at
		}
		after, ok := m.next(at.item)
		if !ok {
			return spot{at.item, max(0, m.heightOf(at.item)-1)}
		}
		lines -= rest
		at = spot{item: after}
	}
}

// toStart and toEnd go to the ends of the session.
func (m *Model) toStart() tea.Cmd {
	m.top, m.follow, m.chosen = spot{}, false, false
	return m.want()
}

func (m *Model) toEnd() tea.Cmd {
	m.follow, m.chosen = true, false
	return m.want()
}

// toPrompt goes to the next or the previous message of the user: an exchange
// begins with one.
func (m *Model) toPrompt(by int) tea.Cmd {
	if len(m.parts) == 0 {
		return nil
	}
	at := m.place()
	part := at.part + by
	if by < 0 && (at.item.item > 0 || at.line > 0) {
		part = at.part // the beginning of this one
	}
	if part >= len(m.parts) {
		return m.toEnd()
	}
	m.top = spot{item: item{max(part, 0), 0}}
	m.follow = !m.top.before(m.bottom()) && by > 0
	m.cursor, m.chosen = m.top.item, true
	return m.want()
}
