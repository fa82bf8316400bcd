package treeview

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

type noted struct {
	nodes []*pith.Node
	notes []Note
	err   error
}

type pieced struct {
	turn  int
	piece Piece
	open  bool
	more  tea.Cmd
}

// wantNotes reads the notes of the rows on the screen and of a page around it,
// as far as they are not known.
func (m *Model) wantNotes() tea.Cmd {
	top := m.first()
	var missing []*pith.Node
	for i := max(0, top-m.page); i < min(len(m.rows), top+2*m.page); i++ {
		if n := m.rows[i].Node; !m.known[n.Pos] {
			m.known[n.Pos] = true
			missing = append(missing, n)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	ctx, _ := m.window.Join()
	return func() tea.Msg {
		notes, err := m.source.Notes(ctx, missing)
		return noted{missing, notes, err}
	}
}

func (m *Model) takeNotes(msg noted) tea.Cmd {
	if msg.err != nil {
		for _, n := range msg.nodes {
			m.known[n.Pos] = m.read[n.Pos]
		}
		return m.say(paint.Error, "the entries could not be read: "+msg.err.Error())
	}
	silent := false
	for i, n := range msg.nodes {
		silent = m.put(n.Pos, msg.notes[i]) || silent
	}
	if !silent && len(m.words) == 0 {
		return nil
	}
	m.refresh()
	return m.wantNotes() // rows moved in
}

// put keeps a note and reports whether it hides a row.
func (m *Model) put(pos int, n Note) bool {
	if pos >= len(m.notes) || m.read[pos] {
		return false
	}
	m.notes[pos], m.known[pos], m.read[pos] = n, true, true
	return n.Silent
}

// readAll reads what all entries say, for searching and for what is hidden.
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
		m.all = true
		m.refresh()
		return tea.Batch(m.wantNotes(), m.wantPreview())
	}
	if msg.piece.Err != nil {
		m.all = true // nothing more will be found
		return m.say(paint.Error, "the entries could not be read: "+msg.piece.Err.Error())
	}
	for i, n := range msg.piece.Notes {
		m.put(msg.piece.From+i, n)
	}
	return msg.more
}

// fits reports whether every word of the search is in an entry's text.
func (m *Model) fits(n *pith.Node) bool {
	label := strings.ToLower(n.Label)
	return !slices.ContainsFunc(m.words, func(w string) bool {
		return !strings.Contains(m.notes[n.Pos].Search, w) && !strings.Contains(label, w)
	})
}

// setSearch looks for other words. Folds would hide what is looked for.
func (m *Model) setSearch(text string) tea.Cmd {
	m.search = text
	m.words = strings.Fields(strings.ToLower(text))
	m.folded = nil
	m.reselect()
	return tea.Batch(m.wantNotes(), m.wantPreview())
}
