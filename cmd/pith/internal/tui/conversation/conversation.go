package conversation

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/inspect"
)

// A Source provides the content of the screen. Its methods are called in the
// background, one at a time.
type Source interface {
	// Turn reads the exchange with an index.
	Turn(ctx context.Context, i int) (*inspect.Turn, error)
	// Find returns the turns that contain all words of a search, in order.
	Find(ctx context.Context, search string) ([]Place, error)
	// Holding returns the turn of an entry. It reads nothing.
	Holding(id string) (turn int, ok bool)
}

// A Place is an item of an exchange.
type Place struct {
	Turn    int
	EntryID string // of the item; "" means the first one
}

// Options configure the screen. Keys must be set.
type Options struct {
	Keys *keys.Map
	// Len is the number of exchanges.
	Len int
	// Home is the user's home directory, shown as ~. Paths of the project at Cwd are
	// relative to it.
	Home, Cwd string
	Agent     *facts.Agent
	// AtLeaf means that the path ends at the current entry.
	AtLeaf bool
}

// A Model is the screen.
type Model struct {
	o      Options
	source Source

	document document
	top      spot // the first shown line, unless the end is followed
	follow   bool // the last line is shown
	cursor   item // the item that single-item keys apply to
	chosen   bool // the user moved the cursor
	fresh    int  // number of entries that were added since the end was left

	width, height int

	reading transient.Work
	pending int   // number of exchanges being read
	debt    *debt // unfinished scrolling; nil for none
	find    search
	live    live
}

// New returns a screen at the end of a session.
func New(source Source, o Options) *Model {
	m := &Model{o: o, source: source, follow: true, width: 80, height: 24}
	m.document.renderer = blocks.Renderer{Theme: paint.New(true, paint.Monochrome), Width: textWidth(80), Home: o.Home, Cwd: o.Cwd, Agent: o.Agent}
	m.document.size, m.live.atLeaf = o.Len, o.AtLeaf
	return m
}

// Init reads the initially shown part.
func (m *Model) Init() tea.Cmd { return m.want() }

// Close cancels reads in progress.
func (m *Model) Close() {
	m.reading.Cancel()
	m.find.Cancel()
}

// SetForks sets the forks of the path.
func (m *Model) SetForks(f blocks.Forks) tea.Cmd {
	m.document.setForks(f)
	finder{m}.findAgain()
	return m.want()
}

// SetSource replaces the source after the session has grown by a number of entries; the
// last exchange may have grown too. At the end the screen follows.
func (m *Model) SetSource(source Source, n, grown int) tea.Cmd {
	m.replaceSource(source)
	if m.fresh += grown; m.follow {
		m.fresh = 0
	}
	d := &m.document
	old := d.size
	d.resizeTo(n)
	if n < old {
		m.top, m.follow = spot{}, true
		if m.find.aim != nil && m.find.aim.Turn >= n {
			m.find.aim = nil
		}
	}
	if last := min(old, n) - 1; last >= 0 {
		d.part(last).current = false // read again; the old content stays until then
	}
	return m.want()
}

// replaceSource switches to another source.
func (m *Model) replaceSource(source Source) {
	m.source = source
	m.reading.Cancel()
	m.pending = 0
	m.document.abandon()
}

// Restart shows another path of the session, from its end.
func (m *Model) Restart(source Source, n int) tea.Cmd {
	m.replaceSource(source)
	m.document.resizeTo(0)
	m.document.resizeTo(n)
	m.top, m.cursor, m.follow, m.chosen = spot{}, item{}, true, false
	m.live = live{atLeaf: true}
	m.find.clear()
	m.fresh = 0
	return m.want()
}

// Show goes to an entry, once its turn is read.
func (m *Model) Show(p Place) tea.Cmd { return m.show(aim{Place: p}) }

func (m *Model) show(a aim) tea.Cmd {
	if a.Turn < 0 || a.Turn >= m.document.size {
		return nil
	}
	m.follow, m.chosen = false, true
	m.find.aim = &a
	m.top = spot{item: item{a.Turn, 0}}
	m.cursor = m.top.item
	return tea.Batch(m.settleAim(), m.want())
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return m.want()
	case transient.Then:
		return msg()
	case Beat:
		m.live.pulse()
	case tea.MouseWheelMsg:
		return mover{m}.wheel(msg)
	case tea.MouseClickMsg:
		return mover{m}.click(msg)
	case tea.PasteMsg:
		if m.find.typing {
			m.find.input.Insert(msg.Content)
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return nil
}

func (m *Model) resize(width, height int) {
	if width != m.width {
		m.document.resize(width)
		m.live.drawn = nil
		finder{m}.findAgain()
	}
	m.width, m.height = width, height
}

// Begin starts a new block of the incoming response.
func (m *Model) Begin(kind BlockKind, name string) tea.Cmd {
	m.live.blocks = append(m.live.blocks, liveBlock{kind: kind, name: name})
	return m.live.changed()
}

// Grow appends to the last block.
func (m *Model) Grow(text string) tea.Cmd {
	m.live.grow(text)
	return m.live.changed()
}

// Waiting shows what the app is waiting for; "" shows nothing.
func (m *Model) Waiting(status string) tea.Cmd {
	m.live.status = status
	return m.live.changed()
}

// EndLive removes the incoming response: it is in the session now, or
// discarded.
func (m *Model) EndLive() {
	m.live.blocks, m.live.drawn, m.live.dirty = nil, nil, true
}
