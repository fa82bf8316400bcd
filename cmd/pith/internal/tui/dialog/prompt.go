package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A Prompt asks for a line of text.
type Prompt struct {
	Title, About string
	Input        Input
}

// Press handles a key.
func (q *Prompt) Press(p tea.KeyPressMsg, m *keys.Map, _, _ int) Outcome {
	switch {
	case m.Is(p, keys.SelectCancel):
		return Cancelled
	case m.Is(p, keys.SelectConfirm):
		return Chosen
	}
	q.Input.Press(p, m)
	return Open
}

// View draws the question and the input over the whole screen.
func (q *Prompt) View(t *paint.Theme, m *keys.Map, width, height int) string {
	const input = 3 // the index of its line
	return below(t, width, height, []string{
		t.Line(width, paint.Span{Tone: paint.Strong, Text: q.Title}),
		t.Line(width, paint.Span{Tone: paint.Muted, Text: q.About}), "",
		q.Input.View(t, width, "> "), "",
		t.Line(width, paint.Span{Tone: paint.Dim, Text: m.Label(keys.SelectConfirm) + " continue · " + m.Label(keys.SelectCancel) + " cancel"}),
	}, input)
}
