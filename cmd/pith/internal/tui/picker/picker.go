package picker

import (
	"context"
	"regexp"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// A Scope says whose sessions are shown.
type Scope uint8

// The scopes.
const (
	Current Scope = iota // of the project
	All                  // of all projects
	scopeCount
)

// Sessions is what the picker needs. Its methods are called beside the screen
// and may take as long as they need, until their context ends.
type Sessions interface {
	// Load sends the sessions of a scope in batches, newest first as far as that is
	// known, and closes the channel behind the last one.
	Load(ctx context.Context, scope Scope) <-chan Batch
	// Delete moves a session to the trash. undo brings it back; nil when that
	// cannot be done from here. how says where it went, as a sentence.
	Delete(path string) (how string, undo func() error, err error)
	// Rename gives a session a name.
	Rename(path, name string) error
	// Preview is what is shown of a session beside the list, as lines of at most that
	// many cells.
	Preview(ctx context.Context, at Spot, width int) ([][]paint.Span, error)
	// Search looks for a query in the texts of sessions. It sends what it finds in
	// parts, and closes the channel behind the last one. Sessions that do not search
	// close it at once.
	Search(ctx context.Context, s Search) <-chan Findings
}

// A Batch is a part of a list.
type Batch struct {
	Items []Item
	// Done and Total count files.
	Done, Total int
	// Unmarked says why the marks of sessions are not known.
	Unmarked error
	// Err ends the list.
	Err error
}

// A Spot is what is to be seen of a session: the entry that a search found, or its
// end where EntryID is "".
type Spot struct {
	Path, EntryID string
	Terms         []*regexp.Regexp // of the search
}

// A Search is what is looked for in the texts of sessions.
type Search struct {
	Scope Scope
	// Text is the query as it was typed.
	Text string
	// Terms are what must be found, each anywhere in the text of a session.
	Terms []*regexp.Regexp
	// In are the sessions, in the order in which they are looked into.
	In []Candidate
}

// A Candidate is a session that is looked into.
type Candidate struct {
	Path string
	// Known are the terms that the session holds elsewhere, by their number, as bits:
	// its name or folder has them.
	Known uint64
}

// Findings are a part of what a search found.
type Findings struct {
	Hits []Hit
	// Done is how many of the sessions were looked into, the first ones.
	Done int
	// Err ends the search.
	Err error
}

// A Hit is a session whose text fits a search.
type Hit struct {
	Path    string
	EntryID string // of the best place
	Snippet string // the text around it
}

// Open is sent when a session was chosen.
type Open struct {
	Path    string
	EntryID string // of the match that the search found; "" for none
	Query   string // the search that goes on in the session; "" for none
	AtEnd   bool   // the session was found by its name: show its end
}

// Restored tells the picker that a session came back.
type Restored struct{}

// Closed is told when the picker was left without a choice.
type Closed struct{}

// Fork, Clone and Export are told when a new session, or a file, is to be made of
// a session: of what comes before one of its messages, or of where it stands.
type (
	Fork   struct{ Path string }
	Clone  struct{ Path string }
	Export struct{ Path string }
)

// HandOver is told when a session is to be opened in another agent.
type HandOver struct{ Path string }

// Trash is told when what was deleted is to be seen.
type Trash struct{}

// Demo is told when there are no sessions and some to try are wanted.
type Demo struct{}

// Options are what a picker starts with. Keys must be set.
type Options struct {
	Keys *keys.Map
	// OpenKey is the [Item].Key of the session that is open; "" for none. It is
	// marked, and cannot be deleted.
	OpenKey string
	// Mark changes the marks of a session, given those that it has, and returns the
	// new ones. It is called beside the screen. Nil means that none are kept.
	Mark func(id, path string, change func(*marks.Marks)) (marks.Marks, error)
	// Demo offers sample sessions where there are none.
	Demo bool
	// Who is whose session a file is, in a team; nil means that there is none.
	Who func(path string) string
	// Home is the user's home folder, shown as ~.
	Home string
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Pause is how long typing must rest before texts are searched. Zero means 60 ms;
	// below zero they are searched at once.
	Pause time.Duration
}

// A Model is the picker.
type Model struct {
	o        Options
	sessions Sessions

	lists  [scopeCount]list
	scope  Scope
	filter filter
	paths  bool
	input  dialog.Input
	// resumed means that the search is an earlier one: what is typed replaces it.
	resumed bool

	rows     []row
	hidden   int // how many sessions are archived, and therefore not shown
	at       int
	moved    bool   // the user has chosen a row, typed, or chosen a scope
	wanted   string // the key of the session that was chosen, which a list may not hold yet
	pageSize int    // rows that the window has room for

	status  transient.Notice
	chosen  map[string]bool // by their keys, for what is done to several at once
	confirm []*Item         // asked whether to delete them
	rename  *renaming       // the panel, while it is open
	undo    func() error

	hits    hits
	preview preview
}

// New is a picker over sessions.
func New(sessions Sessions, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Model{o: o, sessions: sessions, filter: filter{query: parse("")}, pageSize: 10}
}

// Init begins to load.
func (m *Model) Init() tea.Cmd { return m.load(m.scope) }

// Reopen shows the picker again as it was left, and reads the list anew. openKey
// is the session that is open now.
func (m *Model) Reopen(openKey string) tea.Cmd {
	m.o.OpenKey = openKey
	m.confirm, m.rename = nil, nil
	m.resumed = m.input.Value() != ""
	m.hits.clear(false)
	return tea.Batch(m.reload(), m.wantSearch())
}

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
	case Restored:
		return m.reload()
	case transient.Over:
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
	m.moved = true
	m.remember()
	q := &m.filter.query
	open := Open{Path: it.Path, Query: q.inText()}
	if score, fits := q.match(it, false); fits && score < tier {
		open.AtEnd = true
	} else if h, ok := m.hits.of(it.Path); ok {
		open.EntryID = h.EntryID
	} else if !q.inFirst(it) {
		open.Query = "" // the text is not known to hold it
	}
	return func() tea.Msg { return open }
}
