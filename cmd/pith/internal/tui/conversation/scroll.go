package conversation

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// around is the number of exchanges above and below the screen that are read
// too; kept is the number that stay in memory; atOnce is the number that are
// read concurrently.
const (
	around = 3
	kept   = 16
	atOnce = 2
)

// want reads the exchanges on the screen and around it, the nearest first, and
// drops those far away (S2). It is called again after each read, which shows
// how much of the screen is still empty.
func (m *Model) want() tea.Cmd {
	n := m.document.size
	if n == 0 {
		return nil
	}
	first, last := m.visible()
	m.document.keep(first-kept, last+kept)
	at := first
	if m.follow {
		at = last
	}
	var cmds []tea.Cmd
	for d := 0; at-d >= first-around || at+d <= last+around; d++ {
		for _, i := range []int{at - d, at + d} {
			inReach := i >= max(0, first-around) && i <= min(n-1, last+around)
			if p := m.document.part(i); inReach && !p.current && !p.reading && m.pending < atOnce {
				m.document.use(i).reading = true
				m.pending++
				cmds = append(cmds, m.read(i))
			}
		}
	}
	return tea.Sequence(cmds...)
}

// visible returns the first and the last exchange on the screen.
func (m *Model) visible() (first, last int) {
	at := m.place()
	end := m.document.by(at, m.room()-1)
	return at.part, end.part
}

func (m *Model) read(i int) tea.Cmd {
	source := m.source
	return m.reading.Join(func(ctx context.Context) transient.Then {
		x, err := source.Turn(ctx, i)
		return func() tea.Cmd {
			m.pending--
			m.document.put(i, x, err)
			on := m.settleAim()
			mover{m}.payDebt(i)
			return tea.Batch(on, m.want())
		}
	})
}

// settleAim goes to the targeted item or match, once its turn is read.
func (m *Model) settleAim() tea.Cmd {
	aim := m.find.aim
	if aim == nil || m.document.part(aim.Turn).exchange == nil {
		return nil
	}
	m.find.aim = nil
	if aim.match != matchNone {
		return finder{m}.settleMatch(aim)
	}
	it, ok := m.document.find(aim.Place)
	if !ok {
		return nil
	}
	mover{m}.bring(spot{item: it})
	if aim.fork {
		mover{m}.toFork(1)
	}
	return nil
}

// A mover moves the cursor and the shown part of a screen.
type mover struct{ *Model }

// bring selects an item, unfolds it and shows the line in the upper part of the
// screen.
func (m mover) bring(at spot) {
	m.cursor, m.chosen = at.item, true
	m.document.unfold(at.item)
	at.line = max(0, at.line-m.room()/4)
	m.top = at
}

// room returns the number of lines for the session.
func (m *Model) room() int {
	return max(1, m.height)
}

// bottom returns the spot at the top of the screen when the end is shown.
func (m *Model) bottom() spot {
	return m.document.bottom(m.room() - len(m.live.lines(&m.document.renderer)))
}

// place returns the first shown line.
func (m *Model) place() spot {
	end := m.bottom()
	if m.follow || m.top.part >= m.document.size {
		return end
	}
	if at := m.document.clamp(m.top); at.before(end) {
		return at
	}
	return end // no empty space below the end
}

// A debt is scrolling that had to stop at an unread exchange.
type debt struct {
	from  spot
	lines int // negative means up
	part  int // the exchange being waited for
}

func (m mover) scroll(by int) tea.Cmd {
	if m.document.size == 0 {
		return nil
	}
	m.scrollFrom(m.place(), by)
	return m.want()
}

func (m mover) scrollFrom(from spot, by int) {
	to, left := m.document.walk(from, by)
	m.debt = nil
	switch {
	case left < 0:
		m.debt = &debt{spot{item: item{to.part + 1, 0}}, left, to.part}
	case left > 0:
		m.debt = &debt{to, left, to.part}
	}
	m.top, m.chosen = to, false
	m.follow = by > 0 && left == 0 && !m.top.before(m.bottom())
}

// payDebt continues scrolling when the awaited exchange is there.
func (m mover) payDebt(part int) {
	if d := m.debt; d != nil && d.part == part && m.top.part == part && !m.follow {
		m.scrollFrom(d.from, d.lines)
	}
}

// toStart shows and selects the first item.
func (m mover) toStart() tea.Cmd {
	m.top, m.follow = spot{}, false
	m.cursor, m.chosen = item{}, true
	return m.want()
}

// toEnd shows and selects the last item, and follows appended lines.
func (m mover) toEnd() tea.Cmd {
	m.fresh = 0
	m.follow, m.chosen = true, false
	if at, ok := m.document.lastShown(); ok {
		m.cursor, m.chosen = at, true
	}
	return m.want()
}

// Follow shows the end and follows appended lines, with nothing selected.
func (m *Model) Follow() tea.Cmd {
	m.follow, m.chosen, m.fresh = true, false, 0
	return m.want()
}

// toPrompt selects the next or the previous user message: a turn starts with one.
func (m mover) toPrompt(by int) tea.Cmd {
	at, ok := m.current()
	if !ok {
		return nil
	}
	part := at.part + by
	if by < 0 && at.item > 0 || by > 0 && !m.chosen && at.item == 0 && m.place().item.before(at) {
		part = at.part // this turn's own message
	}
	if part >= m.document.size {
		return m.toEnd()
	}
	cmd := m.toTurn(max(part, 0))
	m.follow = m.follow && by > 0
	return cmd
}

// toTurn selects the first item of a turn and shows it at the top, if there is
// enough below it.
func (m mover) toTurn(turn int) tea.Cmd {
	m.top = spot{item: item{turn, 0}}
	m.follow = !m.top.before(m.bottom())
	m.cursor, m.chosen = m.top.item, true
	return m.want()
}

// current returns the item that single-item keys apply to: the selected one, or
// else the first that starts on the screen.
func (m *Model) current() (item, bool) {
	if m.document.size == 0 {
		return item{}, false
	}
	if m.chosen {
		if m.cursor.part >= m.document.size {
			return m.bottom().item, true
		}
		return m.document.clamp(spot{item: m.cursor}).item, true
	}
	if at, ok := m.document.lastShown(); ok && m.follow {
		return at, true
	}
	at := m.place()
	if at.line > 0 {
		if after, ok := m.document.next(at.item); ok && m.document.height(at.item)-at.line < m.room() {
			return after, true
		}
	}
	return at.item, true
}

// moveCursor selects the next or the previous block and shows it. A block that does not
// fit is scrolled first.
func (m mover) moveCursor(by int, through bool) tea.Cmd {
	at, ok := m.current()
	if !ok {
		return nil
	}
	if through {
		if cmd, scrolled := m.scrollThrough(at, by); scrolled {
			return cmd
		}
	}
	step := m.document.next
	if by < 0 {
		step = m.document.previous
	}
	to, ok := step(at)
	for ok && m.document.height(to) == 0 {
		to, ok = step(to)
	}
	if !ok {
		if by > 0 {
			return m.toEnd()
		}
		return m.toStart()
	}
	m.cursor, m.chosen = to, true
	m.reveal(to, by)
	return m.want()
}

// scrollThrough scrolls a selected block of which a part is outside the window.
func (m mover) scrollThrough(at item, by int) (cmd tea.Cmd, scrolled bool) {
	top := m.place()
	end := m.document.by(top, m.room()-1)
	lastLine := spot{at, max(0, m.document.height(at)-1)}
	switch {
	case by > 0 && end.before(lastLine), by < 0 && (spot{item: at}).before(top):
	default:
		return nil, false
	}
	keep := m.cursor
	m.scrollFrom(top, by*max(1, m.room()/3))
	m.cursor, m.chosen = keep, true
	return m.want(), true
}

// reveal scrolls as little as needed to show a block: its start, and its end if it fits.
func (m mover) reveal(at item, by int) {
	top, height := m.place(), m.document.height(at)
	start, last := spot{item: at}, spot{at, max(0, height-1)}
	end := m.document.by(top, m.room()-1)
	switch {
	case by > 0 && height > m.room():
		m.top = start
	case by < 0 && height > m.room():
		m.top = m.document.by(last, -m.room()+1)
	case start.before(top):
		m.top = start
	case end.before(last):
		m.top = m.document.by(last, -m.room()+1)
	default:
		return
	}
	m.follow = !m.top.before(m.bottom())
}

// toFork selects the next or the previous fork, and reports whether there is one in what
// is read.
func (m mover) toFork(by int) bool {
	at, ok := m.current()
	step := m.document.next
	if by < 0 {
		step = m.document.previous
	}
	for to, more := step(at); ok && more; to, more = step(to) {
		if b := m.document.block(to); b != nil && b.Branch != nil {
			m.cursor, m.chosen = to, true
			m.reveal(to, by)
			return true
		}
	}
	return false
}
