package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A Fact is a name with a description, such as a key and its effect. Without a
// description it is a heading; the zero Fact is a blank line.
type Fact struct{ Name, About string }

// A Sheet shows facts over the whole screen, in two columns if there is room: the keys,
// the counts of a session.
type Sheet struct {
	Keys         *keys.Map
	Title, Right string
	Left, Second []Fact
	Note         string // the last line

	top    int
	search *input.Line
	typing bool
}

// Press handles a key. open is false when the sheet is over.
func (s *Sheet) Press(p tea.KeyPressMsg) (cmd tea.Cmd, open bool) {
	k := s.Keys
	switch {
	case k.Is(p, keys.SelectCancel) && s.search != nil:
		s.search, s.typing = nil, false
	case k.Is(p, keys.SelectCancel), k.Is(p, keys.Clear):
		return nil, false
	case s.typing && k.Is(p, keys.SelectConfirm):
		s.typing = false
	case s.typing:
		s.search.Press(p)
		s.top = 0
	case k.Is(p, keys.SearchOpen):
		line := input.New(k, "")
		s.search, s.typing = &line, true
	case k.Is(p, keys.SelectDown):
		s.top++
	case k.Is(p, keys.SelectUp):
		s.top = max(0, s.top-1)
	case k.Is(p, keys.SelectPageDown), k.Is(p, keys.Actions):
		s.top += 10
	case k.Is(p, keys.SelectPageUp):
		s.top = max(0, s.top-10)
	case k.Is(p, keys.Help), k.Is(p, keys.Quit):
		return nil, false
	}
	return nil, true
}

// Paste inserts text into the search.
func (s *Sheet) Paste(text string) {
	if s.typing {
		s.search.Insert(text)
	}
}

// twoColumns is the width of a window with two columns.
const twoColumns = 76

// Over draws the sheet instead of the lines of a screen.
func (s *Sheet) Over(t *paint.Theme, _ []string, width, height int) []string {
	f := paint.Frame{
		Title: []paint.Span{{Tone: paint.Strong, Text: s.Title}}, Right: []paint.Span{{Tone: paint.Dim, Text: s.Right}},
		Status: []paint.Span{{Tone: paint.Dim, Text: s.Note}}, Hints: s.Hints(),
	}
	if s.search != nil {
		f.Under = s.search.View(t, width, " /", s.typing)
	}
	lines := s.lines(t, width)
	s.top = max(0, min(s.top, len(lines)-paint.Room(height)))
	f.Body = lines[s.top:]
	return t.Frame(&f, width, height)
}

// Hints returns the keys of the sheet.
func (s *Sheet) Hints() []paint.Hint {
	return []paint.Hint{{Key: "/", Word: "search keys"}, {Key: "↑ ↓", Word: "scroll"}, {Key: s.Keys.Label(keys.SelectCancel), Word: "close"}}
}

func (s *Sheet) lines(t *paint.Theme, width int) []string {
	if s.search != nil && !s.search.Blank() {
		var found []Fact
		want := strings.ToLower(strings.TrimSpace(s.search.Value()))
		for _, f := range append(append([]Fact{}, s.Left...), s.Second...) {
			if f.About != "" && strings.Contains(strings.ToLower(f.Name+" "+f.About), want) {
				found = append(found, f)
			}
		}
		return column(t, width, found)
	}
	if width < twoColumns || len(s.Second) == 0 {
		return append(column(t, width, s.Left), column(t, width, s.Second)...)
	}
	half := width / 2
	left, right := column(t, half-1, s.Left), column(t, width-half, s.Second)
	lines := make([]string, max(len(left), len(right)))
	for i := range lines {
		if i < len(left) {
			lines[i] = left[i]
		}
		if i < len(right) {
			lines[i] += strings.Repeat(" ", max(0, half-paint.Shown(lines[i]))) + right[i]
		}
	}
	return lines
}

// narrow is the number of columns below which names are above their descriptions.
const narrow = 36

func column(t *paint.Theme, width int, facts []Fact) (lines []string) {
	cells := 0
	for _, f := range facts {
		if f.About != "" {
			cells = max(cells, termsafe.Width(f.Name))
		}
	}
	if cells = min(cells, width/2); width < narrow {
		cells = 0
	}
	for _, f := range facts {
		if f.About == "" {
			lines = append(lines, t.Line(width, paint.Span{Tone: paint.Strong, Text: " " + f.Name}))
			continue
		}
		name := paint.Span{Tone: paint.Accent, Text: "   " + termsafe.Pad(termsafe.Fit(f.Name, max(cells, 1)), cells) + "  "}
		if cells == 0 {
			lines = append(lines, t.Line(width, paint.Span{Tone: paint.Accent, Text: " " + f.Name}))
			name.Text = "   "
		}
		for _, row := range paint.WrapText(paint.Plain, termsafe.Line(f.About), max(8, width-termsafe.Width(name.Text))) {
			lines = append(lines, t.Line(width, append([]paint.Span{name}, row...)...))
			name.Text = strings.Repeat(" ", termsafe.Width(name.Text))
		}
	}
	return lines
}
