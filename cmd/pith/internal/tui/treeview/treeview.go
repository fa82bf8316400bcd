package treeview

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// A Note is what a row says about an entry.
type Note struct {
	Head, Text         string
	HeadTone, TextTone paint.Tone
	// Search is what a search looks at, in lower case.
	Search string
	// Silent marks an answer that says nothing and did not fail: a mere carrier of
	// tool calls, which their results tell of. It is shown only where the session stands.
	Silent bool
}

// Source is what the screen reads. Its methods are called beside the screen.
type Source interface {
	// Notes are the notes of some entries, in their order.
	Notes(ctx context.Context, nodes []*pith.Node) ([]Note, error)
	// AllNotes sends the notes of all entries, piece by piece in file order, and
	// closes the channel behind the last one.
	AllNotes(ctx context.Context) <-chan Piece
	// Text is what copying an entry puts on the clipboard; "" when there is nothing.
	Text(ctx context.Context, n *pith.Node) (string, error)
	// Preview is an entry in full, as lines of at most that many cells.
	Preview(ctx context.Context, n *pith.Node, width int) ([][]paint.Span, error)
}

// A Piece is the notes of the entries from a position on.
type Piece struct {
	From  int
	Notes []Note
	Err   error // ends the notes
}

// Navigate is told when an entry was chosen.
type Navigate struct {
	EntryID string
	// Summarize asks for a summary of the branch that is left; Instructions say
	// what matters in it.
	Summarize    bool
	Instructions string
}

// AlreadyThere is told when the entry at which the session stands was chosen.
type AlreadyThere struct{}

// Closed is told when the screen was left without a choice.
type Closed struct{}

// SetLabel is told when an entry is to be labelled; "" clears.
type SetLabel struct{ EntryID, Label string }

// Fork, Clone and Export are told when a new session, or a file, is to be made of
// the path to an entry.
type (
	Fork   struct{ EntryID string }
	Clone  struct{ EntryID string }
	Export struct{ EntryID string }
)

// Options are what the screen starts with. Keys must be set.
type Options struct {
	Keys   *keys.Map
	Roots  []*pith.Node
	LeafID string
	// Select is the entry to begin at; "" means where the session stands.
	Select string
	// Filter is the one to begin with; "" means outline.Default.
	Filter outline.Filter
	// SkipSummary leaves out the question whether the branch is to be summarised.
	SkipSummary bool
	// Now is the clock, for the times of labels. Nil means time.Now.
	Now func() time.Time
}

// A Model is the screen.
type Model struct {
	o       Options
	source  Source
	outline *outline.Outline
	rows    []outline.Row
	byPos   []*pith.Node // entries by their position in the file
	rowAt   []int32      // the row of an entry by its position, from 1; scratch of rowOf
	at      int
	kept    *pith.Node // what is to stay selected, also while it is hidden

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
	question            *summaryQuestion
	status              transient.Notice
	preview             preview
}

// New shows the tree of a session.
func New(source Source, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Filter == "" {
		o.Filter = outline.Default
	}
	m := &Model{o: o, source: source, filter: o.Filter, page: 20, width: 80, height: 30}
	m.setTree(o.Roots)
	m.kept = m.find(o.Select)
	if m.kept == nil {
		m.kept = m.find(o.LeafID)
	}
	m.refresh()
	return m
}

// SetTree takes the tree as it is after something was written. What was read
// before stays, because entries do not change.
func (m *Model) SetTree(roots []*pith.Node, leafID string) tea.Cmd {
	m.o.LeafID = leafID
	m.setTree(roots)
	if m.kept != nil {
		m.kept = m.find(m.kept.ID)
	}
	m.refresh()
	return m.Init()
}

func (m *Model) setTree(roots []*pith.Node) {
	m.outline = outline.New(roots)
	n := 0
	for _, node := range m.outline.Nodes() {
		n = max(n, node.Pos+1)
	}
	m.byPos, m.rowAt = make([]*pith.Node, n), make([]int32, n)
	for _, node := range m.outline.Nodes() {
		m.byPos[node.Pos] = node
	}
	m.notes.grow(n)
}

func (m *Model) find(id string) *pith.Node {
	if id == "" {
		return nil
	}
	var found *pith.Node
	for _, n := range m.byPos {
		if n != nil && n.ID == id {
			found = n // of several it is the last, as everywhere
		}
	}
	return found
}

// Init reads what the rows on the screen say, and then the rest.
func (m *Model) Init() tea.Cmd { return tea.Sequence(m.wantNotes(), m.readAll()) }

// Close ends what is still being read.
func (m *Model) Close() {
	m.loading.Cancel()
	m.window.Cancel()
	m.preview.Cancel()
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return tea.Batch(m.wantNotes(), m.wantPreview())
	case noted:
		return m.takeNotes(msg)
	case pieced:
		return m.takePiece(msg)
	case previewed:
		m.preview.take(msg)
	case copied:
		return m.takeCopy(msg)
	case transient.Over:
		msg.End()
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

// Selected is the entry under the cursor; nil when there is none.
func (m *Model) Selected() *pith.Node {
	if m.at < 0 || m.at >= len(m.rows) {
		return nil
	}
	return m.rows[m.at].Node
}

// Asks reports whether keys go to a question or a text, so that the app leaves
// its own ones alone.
func (m *Model) Asks() bool { return m.label != nil || m.question != nil || m.typing }

// refresh lays the rows out anew and keeps the selection.
func (m *Model) refresh() {
	m.rows = m.outline.Rows(m.visible, func(n *pith.Node) bool { return m.folded[n.Pos] })
	m.at = m.rowOf(m.kept)
}

// reselect lays the rows out after the user chose to see others. What is selected
// then stays selected, as in pi: a search that found something ends there. Only
// where nothing is shown the entry is remembered that was selected before.
func (m *Model) reselect() {
	m.refresh()
	if n := m.Selected(); n != nil {
		m.kept = n
	}
}

// rowOf is the row of an entry or of the nearest ancestor that is shown; else
// the last row.
func (m *Model) rowOf(want *pith.Node) int {
	if want != nil {
		clear(m.rowAt)
		for i := range m.rows {
			m.rowAt[m.rows[i].Node.Pos] = int32(i + 1)
		}
		for n := range m.outline.Ancestors(want) {
			if i := m.rowAt[n.Pos]; i > 0 {
				return int(i - 1)
			}
		}
	}
	return max(0, len(m.rows)-1)
}

// visible reports whether an entry passes the filter and the search.
func (m *Model) visible(n *pith.Node) bool {
	if !m.filter.Keeps(n) || m.notes.list[n.Pos].Silent && n.ID != m.o.LeafID {
		return false
	}
	return len(m.words) == 0 || m.fits(n)
}

// A labelling is the box in which an entry gets a label.
type labelling struct {
	node  *pith.Node
	input dialog.Input
}

// statusStays is how long a message stands in the last line.
const statusStays = 3 * time.Second

func (m *Model) say(tone paint.Tone, text string) tea.Cmd {
	return m.status.Say(tone, text, statusStays)
}
