// Package treeview implements the tree of a session: /tree.
//
// It shows the current path, one row for each prompt, text and call, and the branches
// that were left, folded to one row each where they begin. It reads and changes nothing
// itself: rows come from a [Source] in the background, the last ones first, and what is
// done with an entry is a [Wish] for the app.
//
// # Invariants
//
//	N1  No key waits for a file.
//	N2  A key costs at most one pass over the rows.
//	N3  The selection stays on its entry, or moves to the nearest visible row above.
//	N4  Branch points are shown whatever the filter is.
package treeview

import (
	"context"
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/list"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// A Row is a prompt, a text, a call, or something else that has a row.
type Row struct {
	Kind blocks.Kind
	// Entry is the entry of the row, and Last the last one that it shows: the result of a
	// call.
	Entry, Last string
	Tool, Text  string
	Label       string
	Clock       string
	Right       []paint.Span
	Edit        bool // a call that changes a file
	Failed      bool
	Fork        *blocks.Fork // that continues here; nil for none

	Way   *blocks.Way // of a branch that was left, folded or not
	depth int
	fork  *blocks.Fork // of a way
}

// A Piece is rows that come before those that were sent earlier.
type Piece struct {
	Rows []Row
	Err  error // ends the rows
}

// A Source provides the rows. Its methods are called in the background.
type Source interface {
	// Rows sends the rows of the path to an entry, the last ones first, down to the entry
	// after which the rows are wanted, and closes the channel.
	Rows(ctx context.Context, end, after string) <-chan Piece
	// Find returns the entries of all branches that contain all words.
	Find(ctx context.Context, words []string) (map[string]bool, error)
	// Preview draws an entry in full.
	Preview(ctx context.Context, r Row, with blocks.Renderer) ([]string, error)
	// Text returns the text that copying an entry gives.
	Text(ctx context.Context, entry string) (string, error)
}

// A Wish is sent when the app is to do something with a row: to go back to it with
// [keys.SelectConfirm], to leave with [keys.SelectCancel].
type Wish struct {
	Action keys.Action
	Row    Row
}

// A Filter selects rows.
type Filter uint8

// The filters.
const (
	All Filter = iota
	Prompts
	Edits
	Failed
	Labeled
	filterCount
)

var filterNames = [filterCount]string{"All", "Prompts", "Edits", "Failed", "Labeled"}

// Options configure the screen. Keys must be set.
type Options struct {
	Keys *keys.Map
	// Title are the names of the project and the session.
	Title []string
	// End is the end of the path that is shown, Current the current entry, and Select the
	// entry that is selected first; "" means the current one.
	End, Current, Select string
	Filter               Filter
	Agent                *facts.Agent
	Renderer             blocks.Renderer // for the preview
	// Send passes a [Wish] to the app.
	Send func(Wish) tea.Cmd
}

// A Model is the screen.
type Model struct {
	o      Options
	source Source

	path   []Row            // of the shown path
	ways   map[string][]Row // of branches that were left, by first entry, as far as they are read
	open   map[string]bool  // branches that are unfolded
	rows   []Row            // as shown
	counts [filterCount]int
	forks  int // number of branches beside the path

	list    list.Model
	filter  Filter
	kept    string // the entry that stays selected
	keptWay bool   // it is the row of a branch
	reading bool
	load    transient.Work
	others  transient.Work // the rows of a branch

	search input.Line
	typing bool
	words  []string
	terms  []*regexp.Regexp // of the words
	found  map[string]bool  // entries that contain the words; nil until they are searched
	find   transient.Work

	width, height int
	preview       preview
}

// New returns a screen for the tree of a session.
func New(source Source, o Options) *Model {
	m := &Model{o: o, source: source, filter: o.Filter, kept: o.Select, width: 80, height: 24, ways: map[string][]Row{}, open: map[string]bool{}}
	if m.kept == "" {
		m.kept = o.Current
	}
	m.list.Head = func(i int) bool { return m.rows[i].Kind == blocks.Prompt && m.rows[i].Way == nil }
	return m
}

// Init reads the rows.
func (m *Model) Init() tea.Cmd { return m.Renew(m.o.End, m.o.Current) }

// Renew reads the rows again after something was written. The shown rows stay until
// then.
func (m *Model) Renew(end, current string) tea.Cmd {
	m.o.End, m.o.Current, m.reading = end, current, true
	ctx, turn := m.load.Begin()
	var rows []Row
	pieces := m.source.Rows(ctx, end, "")
	first := len(m.path) == 0
	var next tea.Cmd
	next = func() tea.Msg {
		p, open := <-pieces
		return transient.Then(func() tea.Cmd {
			switch {
			case turn != m.load.Turn():
				return nil
			case p.Err != nil:
				m.reading = false
				return transient.Say(paint.Error, "cannot read entries: "+p.Err.Error())
			case !open:
				m.reading = false
				m.path = rows
				m.arrange()
				if m.found != nil && !m.matches(m.list.At) {
					return m.match(1) // what was searched is read now
				}
				return m.wantPreview()
			}
			rows = append(p.Rows[:len(p.Rows):len(p.Rows)], rows...)
			if first {
				m.path = rows
				m.arrange()
			}
			return tea.Batch(next, m.wantPreview())
		})
	}
	return next
}

// Close cancels reads in progress.
func (m *Model) Close() {
	m.load.Cancel()
	m.others.Cancel()
	m.find.Cancel()
	m.preview.Cancel()
}

// Waits reports whether a key must wait for the first rows.
func (m *Model) Waits() bool { return m.reading && len(m.rows) == 0 }

// Typing reports whether letters go to the search.
func (m *Model) Typing() bool { return m.typing }

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.list.Resize(paint.Room(msg.Height))
		m.preview.resize(m.pane())
		return m.wantPreview()
	case transient.Then:
		return msg()
	case tea.PasteMsg:
		if m.typing {
			m.search.Insert(msg.Content)
		}
	case tea.MouseWheelMsg:
		if n := keys.WheelLines(msg); n != 0 {
			m.list.Move(n)
			return m.moved()
		}
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return nil
}

// Selected returns the selected row; ok is false if there is none.
func (m *Model) Selected() (r Row, ok bool) {
	if m.list.At >= len(m.rows) {
		return Row{}, false
	}
	return m.rows[m.list.At], true
}

// passes reports whether a row passes a filter.
func (f Filter) passes(r *Row) bool {
	switch f {
	case Prompts:
		return r.Kind == blocks.Prompt
	case Edits:
		return r.Edit
	case Failed:
		return r.Failed
	case Labeled:
		return r.Label != ""
	}
	return true
}

// arrange makes the shown rows.
func (m *Model) arrange() {
	m.rows, m.counts, m.forks = nil, [filterCount]int{}, 0
	m.flatten(m.path, 0)
	m.list.Len = len(m.rows)
	m.list.Select(m.rowOf(m.kept))
}

// flatten adds rows and, below them, the branches that were left there. It recurses once
// for each unfolded branch in a branch.
func (m *Model) flatten(path []Row, depth int) {
	for i := range path {
		r := path[i]
		r.depth = depth
		for f := range filterCount {
			if f.passes(&r) {
				m.counts[f]++
			}
		}
		if m.filter.passes(&r) {
			m.rows = append(m.rows, r)
		}
		if r.Fork == nil {
			continue
		}
		for k := range r.Fork.Ways {
			w := &r.Fork.Ways[k]
			if w.Shown {
				continue
			}
			m.forks++
			m.rows = append(m.rows, Row{Way: w, Entry: w.First, Last: w.End, Text: w.Text, Label: w.Label, depth: depth, fork: r.Fork})
			if m.open[w.First] {
				m.flatten(m.ways[w.First], depth+1)
			}
		}
	}
}

// rowOf returns the row of an entry, or else the nearest one above it, or the last.
func (m *Model) rowOf(entry string) int {
	for i := range m.rows {
		if m.rows[i].Entry == entry || m.rows[i].Last == entry {
			if (m.rows[i].Way != nil) == m.keptWay {
				return i
			}
		}
	}
	shown := make(map[string]int, len(m.rows))
	for i := range m.rows {
		shown[m.rows[i].Entry] = i
	}
	at := max(0, len(m.rows)-1)
	for i := range m.path {
		if k, ok := shown[m.path[i].Entry]; ok {
			at = k
		}
		if m.path[i].Entry == entry || m.path[i].Last == entry {
			return at
		}
	}
	if i, ok := shown[entry]; ok {
		return i
	}
	return max(0, len(m.rows)-1)
}

// moved follows a new selection.
func (m *Model) moved() tea.Cmd {
	if r, ok := m.Selected(); ok {
		m.kept, m.keptWay = r.Entry, r.Way != nil
	}
	return m.wantPreview()
}

// unfold shows the entries of a branch, and reads them if needed.
func (m *Model) unfold(r Row) tea.Cmd {
	first, end := r.Way.First, r.Way.End
	m.open[first] = true
	m.kept, m.keptWay = first, true
	if m.ways[first] != nil {
		m.arrange()
		return nil
	}
	return m.others.Join(func(ctx context.Context) transient.Then {
		var rows []Row
		var failed error
		for p := range m.source.Rows(ctx, end, r.fork.At) {
			if p.Err != nil {
				failed = p.Err
			}
			rows = append(p.Rows[:len(p.Rows):len(p.Rows)], rows...)
		}
		return func() tea.Cmd {
			if failed != nil {
				return transient.Say(paint.Error, "cannot read entries: "+failed.Error())
			}
			m.ways[first] = rows
			m.arrange()
			return m.wantPreview()
		}
	})
}

// fold folds the branch of the selected row.
func (m *Model) fold() {
	at := m.list.At
	depth := m.rows[at].depth
	if m.rows[at].Way != nil && m.open[m.rows[at].Way.First] {
		depth++
	}
	for i := at; i >= 0; i-- {
		if w := m.rows[i].Way; w != nil && m.rows[i].depth == depth-1 {
			delete(m.open, w.First)
			m.kept, m.keptWay = w.First, true
			m.arrange()
			return
		}
	}
}

// searchFor finds the entries that contain words, and goes to the next.
func (m *Model) searchFor(text string) tea.Cmd {
	m.words, m.found = strings.Fields(strings.ToLower(text)), nil
	m.terms = paint.Terms(m.words)
	m.find.Cancel()
	if len(m.words) == 0 {
		return nil
	}
	words := m.words
	return m.find.Start(func(ctx context.Context) transient.Then {
		found, err := m.source.Find(ctx, words)
		return func() tea.Cmd {
			if err != nil {
				return transient.Say(paint.Error, "search failed: "+err.Error())
			}
			m.found = found
			if m.reading || m.matches(m.list.At) {
				return nil
			}
			return m.match(1)
		}
	})
}

// matches reports whether a row is one of the search.
func (m *Model) matches(i int) bool {
	if i >= len(m.rows) {
		return false
	}
	r := &m.rows[i]
	return m.found[r.Entry] || m.found[r.Last]
}

// match goes to the next or the previous match.
func (m *Model) match(by int) tea.Cmd {
	n := len(m.rows)
	for k := 1; k <= n; k++ {
		if i := ((m.list.At+by*k)%n + n) % n; m.matches(i) {
			m.list.Select(i)
			return m.moved()
		}
	}
	if m.found == nil {
		return nil
	}
	return transient.Say(paint.Dim, "not found: "+strings.Join(m.words, " "))
}
