package dialog

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// Messages asks for one of the messages of a session, or of other texts, over
// the whole screen.
type Messages struct {
	Title, About string
	// Noun names one of the texts; "" means Message.
	Noun string
	// Verb names the action on the chosen one.
	Verb  string
	Texts []string
	At    int // the selected one
}

// Press handles a key.
func (l *Messages) Press(p tea.KeyPressMsg, m *keys.Map, _, _ int) Outcome {
	n := len(l.Texts)
	switch {
	case m.Is(p, keys.SelectUp) || p.Text == "k":
		l.At = (l.At + n - 1) % n
	case m.Is(p, keys.SelectDown) || p.Text == "j":
		l.At = (l.At + 1) % n
	case m.Is(p, keys.SelectPageUp):
		l.At = max(0, l.At-10)
	case m.Is(p, keys.SelectPageDown):
		l.At = min(n-1, l.At+10)
	case m.Is(p, keys.SelectCancel):
		return Cancelled
	case m.Is(p, keys.SelectConfirm):
		return Chosen
	}
	return Open
}

// View draws the messages around the selected one.
func (l *Messages) View(t *paint.Theme, m *keys.Map, width, height int) string {
	lines := []string{
		t.Rule(width),
		t.Line(width, paint.Span{Tone: paint.Strong, Text: l.Title}),
		t.Line(width, paint.Span{Tone: paint.Muted, Text: l.About}),
		t.Rule(width), "",
	}
	noun := cmp.Or(l.Noun, "Message")
	room, selected := max(1, (height-len(lines)-2)/3), 0
	top := max(0, min(l.At-room/2, len(l.Texts)-room))
	for i := top; i < min(len(l.Texts), top+room); i++ {
		place := t.Line(width, paint.Span{Tone: paint.Muted, Text: fmt.Sprintf("  %s %d of %d", noun, i+1, len(l.Texts))})
		if i == l.At {
			selected = len(lines)
			lines = append(lines, t.Selected(width, paint.Span{Tone: paint.Accent, Text: "› "}, paint.Span{Tone: paint.Strong, Text: l.Texts[i]}), place, "")
			continue
		}
		lines = append(lines, t.Line(width, paint.Span{Text: "  " + l.Texts[i]}), place, "")
	}
	lines = paint.Fill(lines, height-1)
	hint := m.Label(keys.SelectUp) + "/" + m.Label(keys.SelectDown) + " move · " + m.Label(keys.SelectConfirm) + " " + l.Verb + " · " + m.Label(keys.SelectCancel) + " cancel"
	lines = append(lines, t.Line(width, paint.Span{Tone: paint.Dim, Text: hint}))
	return paint.Block(height, Low(lines, height, selected)...)
}
