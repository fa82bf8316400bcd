package conversation

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/latest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
)

// Options are what a page starts with. Keys must be set.
type Options struct {
	Keys *keys.Map
	// Len is how many exchanges there are.
	Len int
	// Home is the user's home folder, shown as ~.
	Home string
}

// A Model is the page.
type Model struct {
	o      Options
	source Source

	parts  []part // the exchanges
	top    spot   // the first line that is shown, unless the page follows
	follow bool   // the last line is shown
	cursor item   // what keys for one item are about
	chosen bool   // the cursor was moved by the user

	width, height int
	theme         *paint.Theme
	openTools     bool
	openThinking  bool

	reading latest.Work
	find    search
	live    live
}

// An item is one of the things that happened, by its exchange and its number in it.
type item struct{ part, item int }

// A spot is a line of an item.
type spot struct {
	item
	line int
}

// A part is an exchange, as far as it is read and drawn.
type part struct {
	exchange *inspect.Exchange // nil until it is read
	wanted   bool              // it is being read
	drawn    []drawing         // by item
	open     map[int]bool      // items whose fold differs from the general one
	err      error
}

// New is a page at the end of a session.
func New(source Source, o Options) *Model {
	m := &Model{o: o, source: source, follow: true, width: 80, height: 24, theme: paint.New(true, false)}
	m.parts = make([]part, o.Len)
	return m
}

// Init reads what is shown first.
func (m *Model) Init() tea.Cmd { return m.want() }

// Close ends what is still being read.
func (m *Model) Close() {
	m.reading.Cancel()
	m.find.Cancel()
}

// SetSource tells that the session has grown: the last exchange that was there may
// have grown too. At the end the page follows.
func (m *Model) SetSource(source Source, n int) tea.Cmd {
	m.source = source
	old := len(m.parts)
	switch {
	case n < old:
		m.parts = m.parts[:n]
		m.top, m.follow = spot{}, true
		if m.find.aim != nil && m.find.aim.Exchange >= n {
			m.find.aim = nil
		}
	case n > old:
		m.parts = append(m.parts, make([]part, n-old)...)
	}
	if last := min(old, n) - 1; last >= 0 {
		m.parts[last].wanted = false // read again; what is there stays until then
	}
	return m.want()
}

// Restart shows another path of the session, from its end.
func (m *Model) Restart(source Source, n int) tea.Cmd {
	m.reading.Cancel()
	m.source = source
	m.parts = make([]part, n)
	m.top, m.cursor, m.follow, m.chosen = spot{}, item{}, true, false
	m.live = live{}
	m.find.clear()
	return m.want()
}

// Show goes to an entry, once its exchange is read.
func (m *Model) Show(p Place) tea.Cmd {
	if p.Exchange < 0 || p.Exchange >= len(m.parts) {
		return nil
	}
	m.follow, m.chosen = false, true
	m.find.aim = &p
	m.top = spot{item: item{p.Exchange, 0}}
	m.cursor = m.top.item
	m.settleAim()
	return m.want()
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return m.want()
	case exchangeRead:
		return m.take(msg)
	case placesFound:
		return m.takePlaces(msg)
	case Beat:
		m.pulse()
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.PasteMsg:
		if m.find.typing {
			m.find.input.Insert(msg.Content)
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return nil
}

// resize forgets what was drawn for another width.
func (m *Model) resize(width, height int) {
	if width != m.width {
		m.redraw()
	}
	m.width, m.height = width, height
}

// setTheme draws in other colours.
func (m *Model) setTheme(t *paint.Theme) {
	if t != m.theme {
		m.theme = t
		m.redraw()
	}
}

func (m *Model) redraw() {
	for i := range m.parts {
		clear(m.parts[i].drawn)
	}
	m.live.drawn = nil
}

// AtEnd reports whether the last line is shown.
func (m *Model) AtEnd() bool { return m.follow }
