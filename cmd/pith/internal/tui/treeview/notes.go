package treeview

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

const (
	// mostKept is the number of entries of a session whose notes stay in memory.
	// Other notes are read again when they are drawn or searched, so that the
	// memory for a session does not grow with its text.
	mostKept = 1 << 16
	// mostRecent is the number of notes of other entries that are kept around the
	// screen.
	mostRecent = 1 << 12
)

// notes are the descriptions of entries, by position in the file.
type notes struct {
	size   int
	most   int          // number of entries whose notes are kept
	kept   []Note       // of the first entries
	read   []bool       // the note of a first entry was read
	recent map[int]Note // of other entries, near the screen
	asked  map[int]bool // entries that are being read
	silent []bool       // entries of silent notes
	found  []bool       // entries, other than the first, that match the search
	all    bool         // every note was read since the search changed
}

// grow makes room for the notes of a number of entries.
func (n *notes) grow(entries int) {
	if n.recent == nil {
		n.recent, n.asked = map[int]Note{}, map[int]bool{}
	}
	n.size = max(entries, n.size)
	n.silent = append(n.silent, make([]bool, n.size-len(n.silent))...)
	more := max(0, min(n.size, n.most)-len(n.kept))
	n.kept = append(n.kept, make([]Note, more)...)
	n.read = append(n.read, make([]bool, more)...)
	n.restart()
}

// restart forgets which entries match the search.
func (n *notes) restart() { n.found, n.all = make([]bool, n.size), false }

// of returns the note of an entry, if it is in memory.
func (n *notes) of(pos int) (Note, bool) {
	if pos < len(n.kept) {
		return n.kept[pos], n.read[pos]
	}
	note, ok := n.recent[pos]
	return note, ok
}

// put stores a note, if it is one of the first ones, and reports whether it
// hides a row.
func (n *notes) put(pos int, note Note) (hides bool) {
	if pos >= n.size {
		return false
	}
	if pos < len(n.kept) && !n.read[pos] {
		n.kept[pos], n.read[pos] = note, true
	}
	hides = note.Silent && !n.silent[pos]
	n.silent[pos] = n.silent[pos] || note.Silent
	return hides
}

// wantNotes reads the missing notes of the rows on the screen and of a page
// around it.
func (m *Model) wantNotes() tea.Cmd {
	top := m.first()
	var missing []*Entry
	near := map[int]Note{}
	for _, r := range m.rows.All(max(0, top-m.page), min(m.rows.Len(), top+2*m.page)) {
		note, known := m.notes.of(r.Pos)
		switch {
		case known:
			near[r.Pos] = note
		case !m.notes.asked[r.Pos]:
			m.notes.asked[r.Pos] = true
			missing = append(missing, m.entry(r.Pos))
		}
	}
	if len(m.notes.recent) > mostRecent {
		m.notes.recent = near
	}
	if len(missing) == 0 {
		return nil
	}
	return m.window.Join(func(ctx context.Context) transient.Then {
		notes, err := m.source.Notes(ctx, missing)
		return func() tea.Cmd { return m.takeNotes(missing, notes, err) }
	})
}

func (m *Model) takeNotes(entries []*Entry, notes []Note, err error) tea.Cmd {
	for _, n := range entries {
		delete(m.notes.asked, n.Pos)
	}
	if err != nil {
		return m.say(paint.Error, "cannot read entries: "+err.Error())
	}
	silent := false
	for i, n := range entries {
		silent = m.notes.put(n.Pos, notes[i]) || silent
		if n.Pos >= len(m.notes.kept) {
			m.notes.recent[n.Pos] = notes[i]
		}
	}
	if !silent && len(m.words) == 0 {
		return nil
	}
	m.refresh()
	return m.wantNotes() // rows moved in
}

// readAll reads the notes of all entries, for searching and for hiding. It stops
// an earlier call.
func (m *Model) readAll() tea.Cmd {
	ctx, turn := m.loading.Begin()
	first := len(m.notes.kept)
	return func() tea.Msg {
		pieces := m.source.AllNotes(ctx, first)
		var next tea.Cmd
		next = func() tea.Msg {
			p, open := <-pieces
			return transient.Then(func() tea.Cmd {
				if turn != m.loading.Turn() {
					return nil
				}
				return m.takePiece(p, open, next)
			})
		}
		return next()
	}
}

// takePiece adds a piece, and waits for the next one with more. The last one is
// not open.
func (m *Model) takePiece(piece Piece, open bool, more tea.Cmd) tea.Cmd {
	if !open {
		m.notes.all = true
		if len(m.words) > 0 {
			m.reselect()
		} else {
			m.refresh()
		}
		return tea.Batch(m.wantNotes(), m.wantPreview())
	}
	if piece.Err != nil {
		m.notes.all = true // nothing more will be found
		return m.say(paint.Error, "cannot read entries: "+piece.Err.Error())
	}
	for i, n := range piece.Notes {
		pos := piece.From + i
		m.notes.put(pos, n)
		if pos >= len(m.notes.kept) && pos < m.notes.size && len(m.words) > 0 && m.fits(n, m.o.Tree.At(pos).Label) {
			m.notes.found[pos] = true
		}
	}
	return more
}

// fits reports whether a note or the label of its entry contains every word of
// the search.
func (m *Model) fits(n Note, label string) bool {
	label = strings.ToLower(label)
	return !slices.ContainsFunc(m.words, func(w string) bool {
		return !strings.Contains(n.Search, w) && !strings.Contains(label, w)
	})
}

// setSearch changes the search. Folds are opened, because they would hide
// matches.
func (m *Model) setSearch(text string) tea.Cmd {
	m.search = text
	m.words = strings.Fields(strings.ToLower(text))
	m.folded = nil
	if len(m.words) > 0 && m.notes.size > len(m.notes.kept) {
		m.notes.restart()
		m.refresh() // the selection stays until everything was searched
		return tea.Batch(m.wantNotes(), m.readAll())
	}
	m.reselect()
	return tea.Batch(m.wantNotes(), m.wantPreview())
}
