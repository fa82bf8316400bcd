package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A Fact is a name with a description, such as a key and its effect.
type Fact struct{ Name, About string }

// A Sheet lists facts over the whole screen: the keys of a screen, the counts
// of a session.
type Sheet struct {
	Title string
	Facts []Fact
	top   int
}

// Press scrolls if not everything fits; any other key closes the sheet.
func (s *Sheet) Press(p tea.KeyPressMsg, m *keys.Map, width, height int) Outcome {
	page := max(1, height-2)
	switch {
	case m.Is(p, keys.SelectDown) || p.Text == "j":
		s.top++
	case m.Is(p, keys.SelectUp) || p.Text == "k":
		s.top--
	case m.Is(p, keys.SelectPageDown) || p.Text == " ":
		s.top += page
	case m.Is(p, keys.SelectPageUp):
		s.top -= page
	default:
		return Cancelled
	}
	s.top = max(0, min(s.top, len(s.lines(paint.New(true, false), width))-(height-1)))
	return Open
}

// View draws the list; its last line shows how to leave it.
func (s *Sheet) View(t *paint.Theme, m *keys.Map, width, height int) string {
	lines := s.lines(t, width)
	foot := "press any key to go back"
	if len(lines) > height-1 {
		foot = m.Labels(keys.SelectUp, keys.SelectDown) + " scroll · any other key to go back"
		lines = lines[min(s.top, len(lines)):]
	}
	lines = lines[:min(len(lines), max(0, height-1))]
	lines = paint.Fill(lines, height-1)
	return paint.Block(height, append(lines, t.Line(width, paint.Span{Tone: paint.Dim, Text: foot}))...)
}

// narrow is the number of columns below which names are above their
// descriptions.
const narrow = 50

func (s *Sheet) lines(t *paint.Theme, width int) []string {
	lines := []string{t.Rule(width), t.Line(width, paint.Span{Tone: paint.Strong, Text: s.Title}), ""}
	if width < narrow {
		return append(lines, s.stacked(t, width)...)
	}
	cells := 0
	for _, f := range s.Facts {
		cells = max(cells, termsafe.Width(f.Name))
	}
	cells = min(cells, width/2)
	for _, f := range s.Facts {
		name := paint.Span{Tone: paint.Accent, Text: "  " + termsafe.Pad(termsafe.Fit(f.Name, cells), cells) + "  "}
		for _, row := range paint.WrapText(paint.Plain, termsafe.Line(f.About), max(8, width-cells-4)) {
			lines = append(lines, t.Line(width, append([]paint.Span{name}, row...)...))
			name.Text = strings.Repeat(" ", cells+4)
		}
	}
	return lines
}

func (s *Sheet) stacked(t *paint.Theme, width int) []string {
	var lines []string
	for _, f := range s.Facts {
		if f.Name != "" {
			lines = append(lines, t.Line(width, paint.Span{Tone: paint.Accent, Text: f.Name}))
		}
		for _, row := range paint.WrapText(paint.Plain, termsafe.Line(f.About), max(8, width-2)) {
			lines = append(lines, t.Line(width, append([]paint.Span{{Text: "  "}}, row...)...))
		}
	}
	return lines
}
