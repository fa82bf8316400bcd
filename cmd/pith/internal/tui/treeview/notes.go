package treeview

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// notes are the descriptions of entries, by position in the file.
type notes struct {
	list  []Note
	known []bool // it was read, or is being read
	read  []bool // it was read
	all   bool   // every note was read
}

// grow makes room for the notes of a number of entries.
func (n *notes) grow(entries int) {
	more := max(0, entries-len(n.list))
	n.list = append(n.list, make([]Note, more)...)
	n.known = append(n.known, make([]bool, more)...)
	n.read = append(n.read, make([]bool, more)...)
	n.all = false
}

// put stores a note and reports whether it hides a row.
func (n *notes) put(pos int, note Note) bool {
	if pos >= len(n.list) || n.read[pos] {
		return false
	}
	n.list[pos], n.known[pos], n.read[pos] = note, true, true
	return note.Silent
}

type noted struct {
	entries []*Entry
	notes   []Note
	err     error
}

type pieced struct {
	turn  int
	piece Piece
	open  bool
	more  tea.Cmd
}

// wantNotes reads the missing notes of the rows on the screen and of a page
// around it.
func (m *Model) wantNotes() tea.Cmd {
	top := m.first()
	var missing []*Entry
	for i := max(0, top-m.page); i < min(m.rows.Len(), top+2*m.page); i++ {
		if pos := m.rows.At(i).Pos; !m.notes.known[pos] {
			m.notes.known[pos] = true
			missing = append(missing, m.entry(pos))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return m.window.Join(func(ctx context.Context, _ int) tea.Msg {
		notes, err := m.source.Notes(ctx, missing)
		return noted{missing, notes, err}
	})
}

func (m *Model) takeNotes(msg noted) tea.Cmd {
	if msg.err != nil {
		for _, n := range msg.entries {
			m.notes.known[n.Pos] = m.notes.read[n.Pos]
		}
		return m.say(paint.Error, "cannot read entries: "+msg.err.Error())
	}
	silent := false
	for i, n := range msg.entries {
		silent = m.notes.put(n.Pos, msg.notes[i]) || silent
	}
	if !silent && len(m.words) == 0 {
		return nil
	}
	m.refresh()
	return m.wantNotes() // rows moved in
}

// readAll reads the notes of all entries, for searching and for hiding.
func (m *Model) readAll() tea.Cmd {
	ctx, turn := m.loading.Begin()
	return func() tea.Msg {
		pieces := m.source.AllNotes(ctx)
		var next tea.Cmd
		next = func() tea.Msg {
			p, open := <-pieces
			return pieced{turn, p, open, next}
		}
		return next()
	}
}

func (m *Model) takePiece(msg pieced) tea.Cmd {
	if msg.turn != m.loading.Turn() {
		return nil
	}
	if !msg.open {
		m.notes.all = true
		m.refresh()
		return tea.Batch(m.wantNotes(), m.wantPreview())
	}
	if msg.piece.Err != nil {
		m.notes.all = true // nothing more will be found
		return m.say(paint.Error, "cannot read entries: "+msg.piece.Err.Error())
	}
	for i, n := range msg.piece.Notes {
		m.notes.put(msg.piece.From+i, n)
	}
	return msg.more
}

// fits reports whether an entry's text or label contains every word of the search.
func (m *Model) fits(pos int, label string) bool {
	label = strings.ToLower(label)
	return !slices.ContainsFunc(m.words, func(w string) bool {
		return !strings.Contains(m.notes.list[pos].Search, w) && !strings.Contains(label, w)
	})
}

// setSearch changes the search. Folds are opened, because they would hide
// matches.
func (m *Model) setSearch(text string) tea.Cmd {
	m.search = text
	m.words = strings.Fields(strings.ToLower(text))
	m.folded = nil
	m.reselect()
	return tea.Batch(m.wantNotes(), m.wantPreview())
}
