package picker

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/latest"
	"github.com/pith-sessions/pith/housekeeping/marks"
)

// A sorting is how the list is ordered.
type sorting uint8

const (
	threaded sorting = iota
	recent
	relevance
	sortingCount
)

var sortingNames = [sortingCount]string{"Threaded", "Recent", "Fuzzy"}

// Options are what a picker starts with. Keys must be set.
type Options struct {
	Keys *keys.Map
	// OpenKey is the [Item].Key of the session that is open; "" for none. It is
	// marked, and cannot be deleted.
	OpenKey string
	// Mark changes the marks of a session, given those that it has, and returns the
	// new ones. It is called beside the screen. Nil means that none are kept.
	Mark func(id, path string, change func(*marks.Marks)) (marks.Marks, error)
	// Home is the user's home folder, shown as ~.
	Home string
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// A Model is the picker.
type Model struct {
	o        Options
	sessions Sessions

	lists    [scopeCount]list
	scope    Scope
	sort     sorting
	named    bool
	noForks  bool
	paths    bool
	archived bool // archived sessions are shown too
	hidden   int  // how many are not, being archived
	input    dialog.Input
	typing   bool // after "/": letters search, also j and k
	query    query

	rows     []row
	at       int
	moved    bool   // the user has chosen a row, or typed
	wanted   string // the key of the session that was chosen, which a list may not hold yet
	pageSize int    // rows that the window has room for

	status  latest.Notice
	confirm *Item     // asked whether to delete it
	rename  *renaming // the panel, while it is open
	undo    func() error

	hits    hits
	preview preview
}

// New is a picker over sessions.
func New(sessions Sessions, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Model{o: o, sessions: sessions, query: parse(""), pageSize: 10}
}

// Init begins to load.
func (m *Model) Init() tea.Cmd { return m.load(m.scope) }

// Close ends what is still being loaded.
func (m *Model) Close() {
	for i := range m.lists {
		m.lists[i].Cancel()
	}
	m.hits.Cancel()
	m.preview.Cancel()
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loaded:
		return m.take(msg)
	case found:
		return m.takeHits(msg)
	case previewed:
		m.preview.take(msg)
	case searchDue:
		return m.search(msg)
	case deleted:
		return m.afterDelete(msg)
	case restored:
		return m.afterRestore(msg)
	case renamed:
		return m.afterRename(msg)
	case marked:
		return m.afterMark(msg)
	case latest.Over:
		msg.End()
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return m.wantPreview()
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return nil
}

// Selected is the session under the cursor; nil when there is none.
func (m *Model) Selected() *Item {
	if m.at < 0 || m.at >= len(m.rows) {
		return nil
	}
	return m.rows[m.at].item
}

// remember makes the selected session the one that stays selected.
func (m *Model) remember() {
	if it := m.Selected(); it != nil {
		m.wanted = it.Key
	}
}

// choose tells that a session was chosen.
func (m *Model) choose() tea.Cmd {
	it := m.Selected()
	if it == nil {
		return nil
	}
	open := Open{Path: it.Path}
	if h, ok := m.hits.of(it.Path); ok {
		score, fits := m.query.match(it, false)
		if !fits || score > tier*float64(len(m.query.tokens)) { // only the text has what is looked for
			open.EntryID = h.EntryID
		}
	}
	return func() tea.Msg { return open }
}
