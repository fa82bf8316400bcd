// Package contents implements the pane that lists the turns of a session next to
// the conversation: their cost, errors and changed files.
//
// It reads nothing. The app gives it the rows and executes its choices.
package contents

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/amount"
)

// A Row is a turn.
type Row struct {
	inspect.Row
	// Files are the paths that tools of the turn wrote or edited.
	Files []string
}

// A Model is the pane.
type Model struct {
	Keys *keys.Map
	Home string // shown as ~

	rows    []Row
	at      int
	wanted  int // the turn to select when the rows are known
	reading bool
	err     error
}

// New returns a pane that waits for its rows, with a turn selected.
func New(k *keys.Map, home string, turn int) *Model {
	return &Model{Keys: k, Home: home, wanted: turn, reading: true}
}

// Set sets the rows, or the error of reading them. The selection stays.
func (m *Model) Set(rows []Row, err error) {
	if m.reading {
		m.at = m.wanted
	}
	m.rows, m.err, m.reading = rows, err, false
	m.at = max(0, min(m.at, len(rows)-1))
}

// Press handles a key. taken is false if the pane does not use the key. jump is
// the index of a turn to show, or -1.
func (m *Model) Press(p tea.KeyPressMsg) (jump int, taken bool) {
	last := max(0, len(m.rows)-1)
	switch {
	case m.Keys.Is(p, keys.SelectUp) || p.Text == "k":
		m.at = max(0, m.at-1)
	case m.Keys.Is(p, keys.SelectDown) || p.Text == "j":
		m.at = min(last, m.at+1)
	case m.Keys.Is(p, keys.ScrollTop) || p.Text == "g":
		m.at = 0
	case m.Keys.Is(p, keys.ScrollBottom) || p.Text == "G":
		m.at = last
	case m.Keys.Is(p, keys.SelectConfirm):
		if len(m.rows) > 0 {
			return m.at, true
		}
	default:
		return -1, false
	}
	return -1, true
}

// lowHeight is the height below which rows take all lines but the title.
const lowHeight = 8

// mostFiles is the maximum number of files shown for the selected turn.
const mostFiles = 6

// View draws the pane.
func (m *Model) View(t *paint.Theme, width, height int) []string {
	hint := m.Keys.Label(keys.SelectConfirm) + " go to · c close"
	head := []string{t.Sides(width, []paint.Span{{Tone: paint.Strong, Text: "Contents"}}, []paint.Span{{Tone: paint.Dim, Text: hint}})}
	if height >= lowHeight {
		head = append(head, "")
	}
	switch {
	case m.err != nil:
		return append(head, t.Line(width, paint.Span{Tone: paint.Error, Text: m.err.Error()}))
	case m.reading:
		return append(head, t.Line(width, paint.Span{Tone: paint.Dim, Text: "reading…"}))
	case len(m.rows) == 0:
		return append(head, t.Line(width, paint.Span{Tone: paint.Dim, Text: "no messages yet"}))
	}
	room := max(1, height-len(head))
	files := m.files(t, width)
	files = files[:min(len(files), max(0, room-1))]
	shown := max(1, room-len(files))
	top := max(0, min(m.at-shown/2, len(m.rows)-shown))
	lines := head
	for i := top; i < min(len(m.rows), top+shown); i++ {
		lines = append(lines, m.row(t, width, i))
		if i == m.at {
			lines = append(lines, files...)
		}
	}
	return lines[:min(len(lines), max(0, height))]
}

func (m *Model) row(t *paint.Theme, width, i int) string {
	r := &m.rows[i]
	var right []paint.Span
	if r.Errors > 0 {
		right = append(right, paint.Span{Tone: paint.Error, Text: fmt.Sprintf(" ✗%d", r.Errors)})
	}
	if n := len(r.Files); n > 0 {
		right = append(right, paint.Span{Tone: paint.Note, Text: fmt.Sprintf(" ±%d", n)})
	}
	if cost := amount.CostCell(r.Spent); cost != "" {
		right = append(right, paint.Span{Tone: paint.Dim, Text: " " + cost})
	}
	title := cmp.Or(string(r.Title), "(start)")
	head := fmt.Sprintf("%d ", r.Number)
	tone, cursor := paint.Plain, "  "
	if i == m.at {
		tone, cursor = paint.Strong, "› "
	}
	room := max(1, width-2-termsafe.Width(head)-paint.Width(right))
	spans := []paint.Span{{Tone: paint.Accent, Text: cursor}, {Tone: paint.Dim, Text: head}, {Tone: tone, Text: termsafe.Pad(termsafe.Fit(title, room), room)}}
	spans = append(spans, right...)
	if i == m.at {
		return t.Selected(width, spans...)
	}
	return t.Line(width, spans...)
}

// files draws the changed files of the selected turn.
func (m *Model) files(t *paint.Theme, width int) []string {
	list := m.rows[m.at].Files
	var lines []string
	for i, f := range list {
		if i == mostFiles {
			return append(lines, t.Line(width, paint.Span{Tone: paint.Dim, Text: fmt.Sprintf("     and %d more", len(list)-i)}))
		}
		path := termsafe.FitEnd(termsafe.Line(humanize.Path(m.Home, f)), max(6, width-5))
		lines = append(lines, t.Line(width, paint.Span{Tone: paint.Note, Text: "     " + path}))
	}
	return lines
}
