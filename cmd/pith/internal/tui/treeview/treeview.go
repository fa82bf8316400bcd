package treeview

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/format"
)

// A Note describes an entry in its row.
type Note struct {
	Head, Text         string
	HeadTone, TextTone paint.Tone
	// Search is the searched text, in lower case.
	Search string
	// Silent marks a response without text that did not fail: it only carries
	// tool calls, which their results describe. It is shown only at the leaf.
	Silent bool
}

// A Tree is the tree of a session. [pith.View] implements it.
type Tree interface {
	DepthFirst() []outline.Chain
	Len() int
	Leaf() int
	At(pos int) pith.Envelope
	Kind(pos int) (format.Type, format.Role)
}

// An Entry is an entry of the tree.
type Entry struct {
	ID   string
	Pos  int         // position in the file
	Role format.Role // of a message
}

// A Source provides the texts of entries. Its methods are called in the
// background.
type Source interface {
	// Notes returns the notes of some entries, in their order.
	Notes(ctx context.Context, entries []*Entry) ([]Note, error)
	// AllNotes sends the notes of all entries, piece by piece in file order,
	// and closes the channel after the last one. Only the first ones have a
	// Head and a Text.
	AllNotes(ctx context.Context, first int) <-chan Piece
	// Text returns the text that copying an entry puts on the clipboard, or "".
	Text(ctx context.Context, e *Entry) (string, error)
	// Preview returns an entry in full, as lines of at most width cells.
	Preview(ctx context.Context, e *Entry, width int) ([][]paint.Span, error)
}

// A Piece contains the notes of the entries from a position on.
type Piece struct {
	From  int
	Notes []Note
	Err   error // ends the notes
}

// Navigate is sent when an entry was chosen.
type Navigate struct {
	EntryID string
	// Summarize requests a summary of the branch that is being left;
	// Instructions describe what matters in it.
	Summarize    bool
	Instructions string
}

// AlreadyThere is sent when the leaf was chosen.
type AlreadyThere struct{}

// Closed is sent when the screen was left without a choice.
type Closed struct{}

// SetLabel is sent when an entry is to be labeled; "" clears the label.
type SetLabel struct{ EntryID, Label string }

// Fork, Clone and Export are sent when a new session, or a file, is to be made
// from the path to an entry.
type (
	Fork   struct{ EntryID string }
	Clone  struct{ EntryID string }
	Export struct{ EntryID string }
	// Compare asks for a comparison of the paths to two entries.
	Compare struct{ A, B string }
)

// Options configure the screen. Keys must be set.
type Options struct {
	Keys   *keys.Map
	Tree   Tree
	LeafID string
	// Select is the initial entry; "" means the leaf.
	Select string
	// Filter is the initial filter; "" means outline.Default.
	Filter outline.Filter
	// SkipSummary skips the question whether to summarize the branch.
	SkipSummary bool
	// mostKept is the number of notes to keep in memory, for tests; 0 means a
	// usual number.
	mostKept int
	// Now is the clock, for the times of labels. Nil means time.Now.
	Now func() time.Time
}

// A Model is the screen.
type Model struct {
	o       Options
	source  Source
	outline *outline.Outline
	rows    *outline.Rows
	at      int
	kept    *Entry // the entry to keep selected, even while it is hidden

	filter     outline.Filter
	typing     bool // a search is open: letters go to it
	search     string
	words      []string
	folded     map[int]bool // by position
	labelTimes bool

	notes   notes
	loading transient.Work // of all notes
	window  transient.Work // of the notes on the screen, and of what is copied

	width, height, page int
	label               *labelling
	compared            string // the entry to compare with another, or ""
	question            *summaryQuestion
	status              transient.Notice
	preview             preview
}

// New returns a screen for the tree of a session.
func New(source Source, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Filter = cmp.Or(o.Filter, outline.Default)
	m := &Model{o: o, source: source, filter: o.Filter, page: 20, width: 80, height: 30}
	m.notes.most = cmp.Or(o.mostKept, mostKept)
	m.setTree(o.Tree)
	m.kept = m.find(o.Select)
	if m.kept == nil {
		m.kept = m.find(o.LeafID)
	}
	m.refresh()
	return m
}

// SetTree replaces the tree after something was written. Earlier notes stay,
// because entries do not change.
func (m *Model) SetTree(tree Tree, leafID string) tea.Cmd {
	m.o.LeafID = leafID
	m.setTree(tree)
	if m.kept != nil {
		m.kept = m.find(m.kept.ID)
	}
	m.refresh()
	return m.Init()
}

func (m *Model) setTree(tree Tree) {
	m.o.Tree, m.outline = tree, outline.New(tree.DepthFirst(), tree.Leaf())
	m.notes.grow(tree.Len())
}

func (m *Model) entry(pos int) *Entry {
	e := m.o.Tree.At(pos)
	return &Entry{e.ID, pos, e.Role}
}

// find returns the entry with an id, or nil. Of several, the last counts.
func (m *Model) find(id string) *Entry {
	if id == "" {
		return nil
	}
	for pos := m.o.Tree.Len() - 1; pos >= 0; pos-- {
		if m.o.Tree.At(pos).ID == id {
			return m.entry(pos)
		}
	}
	return nil
}

// Init reads the notes of the rows on the screen, and then the rest.
func (m *Model) Init() tea.Cmd { return tea.Sequence(m.wantNotes(), m.readAll()) }

// Close cancels reads in progress.
func (m *Model) Close() {
	m.loading.Cancel()
	m.window.Cancel()
	m.preview.Cancel()
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return tea.Batch(m.wantNotes(), m.wantPreview())
	case transient.Then:
		return msg()
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.KeyPressMsg:
		return m.press(msg)
	default:
		if m.question != nil {
			return m.question.update(msg)
		}
	}
	return nil
}

// Selected returns the entry under the cursor, or nil.
func (m *Model) Selected() *Entry {
	if m.at < 0 || m.at >= m.rows.Len() {
		return nil
	}
	return m.entry(m.rows.At(m.at).Pos)
}

// Asks reports whether keys go to a question or a text, so that the app does
// not use its own ones.
func (m *Model) Asks() bool { return m.label != nil || m.question != nil || m.typing }

// refresh arranges the rows again and keeps the selection.
func (m *Model) refresh() {
	m.rows = m.outline.Rows(m.visible, func(pos int) bool { return m.folded[pos] })
	m.at = m.rowOf(m.kept)
}

// reselect arranges the rows after the user changed the view. The selected
// entry then stays selected, as in pi: a search that found something ends
// there. Only if nothing is shown, the previously selected entry is remembered.
func (m *Model) reselect() {
	m.refresh()
	if n := m.Selected(); n != nil {
		m.kept = n
	}
}

// rowOf returns the row of an entry or of its nearest visible ancestor, or else
// the last row.
func (m *Model) rowOf(want *Entry) int {
	if want != nil {
		if i := m.rows.Nearest(want.Pos); i != outline.None {
			return i
		}
	}
	return max(0, m.rows.Len()-1)
}

// visible reports whether an entry passes the filter and the search.
func (m *Model) visible(pos int) bool {
	kind, role := m.o.Tree.Kind(pos)
	label := func() string { return m.o.Tree.At(pos).Label }
	if !m.filter.Keeps(kind, role, label) || m.notes.silent[pos] && m.o.Tree.At(pos).ID != m.o.LeafID {
		return false
	}
	if len(m.words) == 0 || pos >= len(m.notes.kept) {
		return len(m.words) == 0 || m.notes.found[pos]
	}
	return m.fits(m.notes.kept[pos], label())
}

// A labelling is the box for the label of an entry.
type labelling struct {
	entry *Entry
	input dialog.Input
}

// statusStays is the time for which a message is shown in the last line.
const statusStays = 3 * time.Second

func (m *Model) say(tone paint.Tone, text string) tea.Cmd {
	return m.status.Say(tone, text, statusStays)
}
