// Package picker implements the list of sessions: /resume, and pith pick.
//
// It shows the sessions of the project or of all projects, sorted by time, by thread,
// by cost, by size or by relevance to a search. It reads and changes nothing itself:
// [Sessions] does, in commands that run in the background, so that no key ever waits for
// a disk. What is done with a session elsewhere is a [Wish] for the app.
//
// # Invariants
//
//	R1  Every loaded session that passes the filters has one row, even if sessions
//	    name each other as parents in a cycle.
//	R2  The cost of a view depends on the shown part. A key costs at most a few passes
//	    over the list.
//	R3  The open session is not deleted, whatever path leads to it.
package picker

import (
	"context"
	"regexp"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/list"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/sessiondir"
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
	// possible from here.
	Delete(it *Item) (undo func() error, err error)
	// Rename sets the name of a session.
	Rename(it *Item, name string) error
	// Preview draws the part of a session that is shown next to the list.
	Preview(ctx context.Context, at Spot, with blocks.Renderer) ([]string, error)
	// Mark changes the marks of a session and returns them.
	Mark(it *Item, p ops.MarkParams) (marks.Marks, error)
	// Search searches the texts of sessions of a scope. It sends the results in
	// parts, and closes the channel after the last one. An implementation without
	// search closes it immediately.
	Search(ctx context.Context, scope Scope, p ops.SeekParams) <-chan Findings
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
// its facts and its end if EntryID is "".
type Spot struct {
	Item    *Item
	EntryID string
	Terms   []*regexp.Regexp // of the search
}

// Findings are a part of the results of a search.
type Findings struct {
	Hits []Hit
	// Done is the number of sessions that were searched, the first ones.
	Done int
	// Err ends the search.
	Err error
}

// A Hit is an entry that matches a search.
type Hit struct {
	Path    string
	EntryID string
	Who     string // the role, or the tool
	Snippet string // the text around the match
}

// Open is sent when a session was chosen.
type Open struct {
	Item    *Item
	EntryID string // of the match that the search found; "" for none
	Query   string // the search to continue in the session; "" for none
	AtEnd   bool   // the session was found by its name: show its end
}

// Picked is sent when sessions were chosen, with [Options].Pick.
type Picked struct{ Sessions []*Item }

// Closed is sent when the picker was left without a choice.
type Closed struct{}

// A Wish is sent when the app is to do something with a session.
type Wish struct {
	Action keys.Action
	Item   *Item
}

// CompactWish is the action of a [Wish] to compact a session.
const CompactWish keys.Action = "compact"

// Options configure a picker. Keys must be set.
type Options struct {
	Keys *keys.Map
	// OpenKey is the [Item].Key of the open session, or "". It is marked, and
	// cannot be deleted.
	OpenKey string
	// File returns the file to show for a session; nil means its Path.
	File func(*Item) string
	// Ask shows a dialog. Nil means that there are none.
	Ask func(*dialog.Box)
	// Send passes an [Open], [Closed], [Picked] or [Wish] to the app. Nil sends it as a
	// message.
	Send func(request tea.Msg) tea.Cmd
	// Agent names the agent in which o opens a session; nil means that of the session.
	Agent func(*Item) string
	// Pick makes the picker a chooser: Enter sends [Picked], and nothing is changed.
	// Scope and Query are the initial scope and search.
	Pick  bool
	Scope Scope
	Query string
	// Theme returns the current theme; nil means one without colors.
	Theme func() *paint.Theme
	// Home is the user's home directory, shown as ~. Project is the name of the
	// current project.
	Home, Project string
	// Cwd is the directory of the project.
	Cwd string
	// App is what the use cases work on; nil means that there are no sessions. Now
	// is its clock, time.Now if that is nil.
	App *ops.App
	Now func() time.Time
	// Pause is the time without typing after which texts are searched. Zero
	// means 30 ms; a negative value means immediately.
	Pause time.Duration
}

// A Model is the picker.
type Model struct {
	o        Options
	sessions Sessions

	lists  [scopeCount]shelf
	scope  Scope
	filter filter
	input  input.Line
	// completions are the values for the filter at the end of the search.
	completions []string
	// resumed means that the search is an earlier one: typing replaces it.
	resumed bool
	// focused means that the list has the focus, not the search. An arrow key gives it
	// the focus, a letter that is no key takes it away.
	focused bool
	paths   bool // the status line shows files

	list    list.Model
	rows    []row
	other   int    // number of rows in the other scope
	hidden  int    // number of archived sessions, which are not shown
	moved   bool   // the user has selected a row, typed, or chosen a scope
	guessed bool   // all sessions are shown because the project probably has none
	best    bool   // the user has typed: the first row is selected, whatever is found later
	wanted  string // the key of the selected session, which may not be loaded yet

	width, height int

	chosen  map[string]bool // by key, for operations on several
	confirm []*Item         // awaiting confirmation of deletion

	deleting   int            // deletions that run
	afterwards func() tea.Cmd // follows them; nil for nothing

	hits    hits
	preview preview
}

// New returns a picker over sessions.
func New(sessions Sessions, o Options) *Model {
	if o.App == nil {
		o.App = &ops.App{Now: o.Now, Environment: sessiondir.Environment{Home: o.Home, Getenv: func(string) string { return "" }}}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Ask == nil {
		o.Ask = func(*dialog.Box) {}
	}
	if o.Theme == nil {
		plain := paint.New(true, paint.Monochrome)
		o.Theme = func() *paint.Theme { return plain }
	}
	if o.Send == nil {
		o.Send = func(request tea.Msg) tea.Cmd { return func() tea.Msg { return request } }
	}
	m := &Model{o: o, sessions: sessions, scope: o.Scope, input: input.New(o.Keys, o.Query), width: 80, height: 24}
	m.filter.set(o.Query, m.parse)
	m.list.Height = func(i int) int { return len(m.rows[i].found) + 1 + head(&m.rows[i]) }
	m.list.Head = func(i int) bool { return m.rows[i].section != nil }
	m.hits.clear(false)
	return m
}

func head(r *row) int {
	if r.section != nil {
		return 1
	}
	return 0
}

// Init starts loading.
func (m *Model) Init() tea.Cmd { return m.load(m.scope) }

// Reopen shows the picker again as it was left, and reads the list again.
// openKey is the session that is open now.
func (m *Model) Reopen(openKey string) tea.Cmd {
	m.o.OpenKey = openKey
	m.confirm = nil
	m.resumed, m.focused = m.input.Value() != "", false
	m.hits.again()
	return tea.Batch(m.Reload(), finder{m}.wantSearch())
}

// Close cancels loads in progress.
func (m *Model) Close() {
	for i := range m.lists {
		m.lists[i].Cancel()
	}
	m.hits.Cancel()
	m.preview.Cancel()
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loaded:
		return m.take(msg)
	case found:
		return finder{m}.takeHits(msg)
	case searchDue:
		return finder{m}.search(msg)
	case transient.Then:
		return msg()
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.list.Resize(paint.Room(msg.Height))
		m.preview.resize(m.pane())
		return m.wantPreview()
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseWheelMsg:
		if n := keys.WheelLines(msg); n != 0 {
			return m.selected(m.list.At + n)
		}
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return nil
}

// Selected returns the session under the cursor, or nil.
func (m *Model) Selected() *Item {
	if m.list.At >= len(m.rows) {
		return nil
	}
	return m.rows[m.list.At].item
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
		return m.o.Send(Picked{acts{m}.targets()})
	}
	q := &m.filter.query
	open := Open{Item: it, Query: q.inText()}
	if score, fits := q.match(it, false); fits && score < tier {
		open.AtEnd = true
	} else if h := m.hits.of(it.Path); len(h) > 0 {
		open.EntryID = h[0].EntryID
	} else if !q.inFirst(it) {
		open.Query = "" // the text may not contain it
	}
	return m.o.Send(open)
}

// Querying reports whether something is typed, and not left since.
func (m *Model) Querying() bool { return m.input.Value() != "" }

// AfterDelete calls do when the session that is being deleted is in the trash. It
// reports false if none is being deleted.
func (m *Model) AfterDelete(do func() tea.Cmd) bool {
	if m.deleting == 0 {
		return false
	}
	m.afterwards = do
	return true
}
