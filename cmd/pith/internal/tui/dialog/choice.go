package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// An Outcome is the effect of a key on a question.
type Outcome uint8

// The outcomes of a key.
const (
	Open      Outcome = iota // still asked
	Chosen                   // answered
	Cancelled                // given up
)

// A Choice asks for one of several answers.
type Choice struct {
	Title   string
	Facts   []Fact // facts to know before answering
	Answers []string
	At      int // the selected one
}

// Press handles a key. Arrows and j, k move; a digit chooses directly.
func (c *Choice) Press(press tea.KeyPressMsg, m *keys.Map, _, _ int) Outcome {
	switch {
	case m.Is(press, keys.SelectUp) || press.Text == "k":
		c.At = (c.At + len(c.Answers) - 1) % len(c.Answers)
	case m.Is(press, keys.SelectDown) || press.Text == "j":
		c.At = (c.At + 1) % len(c.Answers)
	case m.Is(press, keys.SelectConfirm):
		return Chosen
	case m.Is(press, keys.SelectCancel):
		return Cancelled
	case len(press.Text) == 1 && press.Text[0] >= '1' && int(press.Text[0]-'1') < len(c.Answers):
		c.At = int(press.Text[0] - '1')
		return Chosen
	}
	return Open
}

// View draws the question over the whole screen.
func (c *Choice) View(t *paint.Theme, m *keys.Map, width, height int) string {
	return below(t, width, height, c.Lines(t, m, width), c.Line())
}

// Lines draws the question and its answers.
func (c *Choice) Lines(t *paint.Theme, m *keys.Map, width int) []string {
	lines := []string{t.Line(width, paint.Span{Tone: paint.Strong, Text: c.Title}), ""}
	for _, f := range c.Facts {
		lines = append(lines, t.Line(width, paint.Span{Tone: paint.Accent, Text: "  " + f.Name + "  "}, paint.Span{Tone: paint.Muted, Text: f.About}))
	}
	if len(c.Facts) > 0 {
		lines = append(lines, "")
	}
	for i, answer := range c.Answers {
		if i == c.At {
			lines = append(lines, t.Selected(width, paint.Span{Tone: paint.Accent, Text: "› "}, paint.Span{Tone: paint.Strong, Text: answer}))
			continue
		}
		lines = append(lines, t.Line(width, paint.Span{Text: "  " + answer}))
	}
	return append(lines, "", t.Line(width, paint.Span{Tone: paint.Dim, Text: m.Label(keys.SelectConfirm) + " choose · " + m.Label(keys.SelectCancel) + " cancel"}))
}

// Line returns the index of the selected answer in Lines.
func (c *Choice) Line() int {
	if len(c.Facts) > 0 {
		return 3 + len(c.Facts) + c.At
	}
	return 2 + c.At
}

// YesNo returns the answer of a key: y or the confirming key, n or the
// canceling one.
func YesNo(press tea.KeyPressMsg, m *keys.Map) Outcome {
	switch {
	case m.Is(press, keys.SelectConfirm) || press.Text == "y" || press.Text == "Y":
		return Chosen
	case m.Is(press, keys.SelectCancel) || press.Text == "n" || press.Text == "N":
		return Cancelled
	}
	return Open
}
