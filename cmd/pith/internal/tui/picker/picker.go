package picker

import (
	"context"
	"regexp"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// A Scope selects whose sessions are shown.
type Scope uint8

// The scopes.
const (
	Current Scope = iota // of the project
	All                  // of all projects
	scopeCount
)

// Sessions provides and changes the sessions. Its methods are called in the
// background and may take as long as they need, until their context ends.
type Sessions interface {
	// Load sends the sessions of a scope in batches, newest first as far as
	// known, and closes the channel after the last one.
	Load(ctx context.Context, scope Scope) <-chan Batch
	// Delete moves a session to the trash. undo restores it; nil if that is not
	// possible from here. how is a sentence that describes where it was moved.
	Delete(path string) (how string, undo func() error, err error)
	// Rename sets the name of a session.
	Rename(path, name string) error
	// Preview returns the part of a session that is shown next to the list, as
	// lines of at most width cells.
	Preview(ctx context.Context, at Spot, width int) ([][]paint.Span, error)
	// Search searches the texts of sessions. It sends the results in parts, and
	// closes the channel after the last one. An implementation without search
	// closes it immediately.
	Search(ctx context.Context, s Search) <-chan Findings
}

// A Batch is a part of a list.
type Batch struct {
	Items []Item
	// Early means that the sessions are some of the list, sent before it is
	// read; they are sent again if they are in the list. An early batch without
	// sessions means that the list is probably empty.
	Early bool
	// Done and Total are numbers of files.
	Done, Total int
	// Demo means that the sessions are the demo's, because the user has none.
	Demo bool
	// Unmarked is the reason why the marks of sessions are unknown.
	Unmarked error
	// Err ends the list.
	Err error
}

// A Spot is the part of a session to show: the entry that a search found, or
// its end if EntryID is "".
type Spot struct {
	Path, EntryID string
	Terms         []*regexp.Regexp // of the search
}

// A Search is a search in the texts of sessions.
type Search struct {
	Scope Scope
	// Query has the words, and filters of entries.
	Query query.Query
	// Terms must all match, each anywhere in the text of a session.
	Terms []*regexp.Regexp
	// In are the sessions, in the order in which they are searched, with the
	// terms that match their names or directories.
	In []search.Candidate
}

// Findings are a part of the results of a search.
type Findings struct {
	Hits []Hit
	// Done is the number of sessions that were searched, the first ones.
	Done int
	// Err ends the search.
	Err error
}

// A Hit is a session whose text matches a search.
type Hit struct {
	Path    string
	EntryID string // of the best match
	Snippet string // the text around it
}

// Open is sent when a session was chosen.
type Open struct {
	Path    string
	EntryID string // of the match that the search found; "" for none
	Query   string // the search to continue in the session; "" for none
	AtEnd   bool   // the session was found by its name: show its end
}

// Picked is sent when sessions were chosen, with [Options].Pick.
type Picked struct{ Sessions []*Item }

// Closed is sent when the picker was left without a choice.
type Closed struct{}

// Fork, Clone and Export are sent when a new session, or a file, is to be made
// from a session: from the part before one of its messages, or from the path to
// its leaf.
type (
	Fork   struct{ Path string }
	Clone  struct{ Path string }
	Export struct{ Path string }
)

// HandOver is sent when a session is to be opened in another agent.
type HandOver struct{ Path string }

// Options configure a picker. Keys must be set.
type Options struct {
	Keys *keys.Map
	// OpenKey is the [Item].Key of the open session, or "". It is marked, and
	// cannot be deleted.
	OpenKey string
	// Mark calls change with the marks of a session, stores the result and
	// returns it. It is called in the background. Nil means that there are no
	// marks.
	Mark func(id, path string, change func(*marks.Marks)) (marks.Marks, error)
	// File returns the file to show for a session; nil means its Path.
	File func(*Item) string
	// Pick makes the picker a chooser: Tab selects, Enter sends [Picked], and
	// nothing is changed. Scope and Query are the initial scope and search.
	Pick  bool
	Scope Scope
	Query string
	// Home is the user's home directory, shown as ~.
	Home string
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Cwd and Catalog are what the filters of a search refer to.
	Cwd     string
	Catalog catalog.Options
	// Pause is the time without typing after which texts are searched. Zero
	// means 30 ms; a negative value means immediately.
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
	// completions are the values for the filter at the end of the search.
	completions []string
	// resumed means that the search is an earlier one: typing replaces it.
	resumed bool
	// focused means that the list has the focus, not the search: j, k, g and G
	// move. An arrow key gives it the focus, any other letter takes it away.
	focused bool

	rows     []row
	hidden   int // number of archived sessions, which are not shown
	at       int
	moved    bool   // the user has selected a row, typed, or chosen a scope
	guessed  bool   // all sessions are shown because the project probably has none
	best     bool   // the user has typed: the first row is selected, whatever is found later
	wanted   string // the key of the selected session, which may not be loaded yet
	pageSize int    // number of rows that fit
	head     int    // number of lines above them

	status  transient.Notice
	chosen  map[string]bool // by key, for operations on several
	confirm []*Item         // awaiting confirmation of deletion
	rename  *renaming       // the panel, while it is open
	undo    func() error

	hits      hits
	elsewhere elsewhere
	preview   preview
}

// New returns a picker over sessions.
func New(sessions Sessions, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{o: o, sessions: sessions, scope: o.Scope, input: dialog.NewInput(o.Query), pageSize: 10, head: headerLines}
	m.filter.query = parse(o.Query, m.env())
	m.hits.clear(false)
	return m
}

// env returns what the filters of a search refer to.
func (m *Model) env() query.Env {
	return query.Env{Now: m.o.Now(), Cwd: m.o.Cwd, Catalog: m.o.Catalog}
}

// Init starts loading.
func (m *Model) Init() tea.Cmd { return m.load(m.scope) }

// Reopen shows the picker again as it was left, and reads the list again.
// openKey is the session that is open now.
func (m *Model) Reopen(openKey string) tea.Cmd {
	m.o.OpenKey = openKey
	m.confirm, m.rename = nil, nil
	m.resumed, m.focused = m.input.Value() != "", false
	m.hits.clear(false)
	return tea.Batch(m.reload(), m.wantSearch())
}

// Close cancels loads in progress.
func (m *Model) Close() {
	for i := range m.lists {
		m.lists[i].Cancel()
	}
	m.hits.Cancel()
	m.elsewhere.Cancel()
	m.preview.Cancel()
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd := m.handle(msg)
	return tea.Batch(cmd, m.wantElsewhere())
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loaded:
		return m.take(msg)
	case found:
		return m.takeHits(msg)
	case searchDue:
		return m.search(msg)
	case transient.Then:
		return msg()
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

// Selected returns the session under the cursor, or nil.
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

// choose reports that a session was chosen.
func (m *Model) choose() tea.Cmd {
	it := m.Selected()
	if it == nil {
		return nil
	}
	m.moved, m.best = true, false
	m.remember()
	if m.o.Pick {
		picked := Picked{m.targets()}
		return func() tea.Msg { return picked }
	}
	q := &m.filter.query
	open := Open{Path: it.Path, Query: q.inText()}
	if score, fits := q.match(it, false); fits && score < tier {
		open.AtEnd = true
	} else if h, ok := m.hits.of(it.Path); ok {
		open.EntryID = h.EntryID
	} else if !q.inFirst(it) {
		open.Query = "" // the text may not contain it
	}
	return func() tea.Msg { return open }
}
