package conversation

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/inspect"
)

// around is how many exchanges before and behind the one on the screen are read;
// kept is how many are not forgotten.
const (
	around = 3
	kept   = 16
)

type exchangeRead struct {
	turn     int
	i        int
	exchange *inspect.Exchange
	err      error
}

// want reads the exchanges around the place that is shown, the nearest first,
// and forgets those far away (S2).
func (m *Model) want() tea.Cmd {
	at := m.top.part
	if m.follow {
		at = len(m.parts) - 1
	}
	m.forget(at)
	var cmds []tea.Cmd
	for d := range around + 1 {
		for _, i := range []int{at - d, at + d} {
			if i >= 0 && i < len(m.parts) && !m.parts[i].wanted {
				m.parts[i].wanted = true
				cmds = append(cmds, m.read(i))
			}
		}
	}
	return tea.Sequence(cmds...)
}

func (m *Model) read(i int) tea.Cmd {
	ctx, turn := m.reading.Join()
	source := m.source
	return func() tea.Msg {
		x, err := source.Exchange(ctx, i)
		return exchangeRead{turn, i, x, err}
	}
}

func (m *Model) forget(at int) {
	for i := range m.parts {
		if i < at-kept || i > at+kept {
			if m.parts[i].exchange != nil {
				open := m.parts[i].open
				m.parts[i] = part{open: open}
			}
		}
	}
}

func (m *Model) take(msg exchangeRead) tea.Cmd {
	if msg.turn != m.reading.Turn() || msg.i >= len(m.parts) {
		return nil
	}
	p := &m.parts[msg.i]
	p.exchange, p.err = msg.exchange, msg.err
	n := 0
	if p.exchange != nil {
		n = len(p.exchange.Items)
	}
	p.drawn = make([]drawing, max(n, 1))
	m.settleAim()
	return m.want()
}

// settleAim goes to the item that is aimed at, when its exchange is there.
func (m *Model) settleAim() {
	aim := m.find.aim
	if aim == nil || m.parts[aim.Exchange].exchange == nil {
		return
	}
	m.find.aim = nil
	for i := range m.parts[aim.Exchange].exchange.Items {
		it := &m.parts[aim.Exchange].exchange.Items[i]
		if string(it.EntryID) == aim.EntryID || it.Tool != nil && it.Tool.Result != nil && string(it.Tool.Result.EntryID) == aim.EntryID {
			m.top = spot{item: item{aim.Exchange, i}}
			m.cursor, m.chosen = m.top.item, true
			m.unfoldAt(m.cursor)
			return
		}
	}
}
