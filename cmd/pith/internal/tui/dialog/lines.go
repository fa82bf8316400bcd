package dialog

import (
	"cmp"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A Line is a line of a file.
type Line struct {
	Tone paint.Tone
	Text string
	// About describes the origin of the line; "" means that it is unknown and
	// that the line cannot be chosen.
	About string
	// Marked lines are those that the file was opened for.
	Marked bool
}

// Lines shows a file over the whole screen and asks for one of its lines.
type Lines struct {
	Title string
	Lines []Line // at least one
	At    int    // the selected one
}

// Press handles a key.
func (l *Lines) Press(p tea.KeyPressMsg, m *keys.Map, _, height int) Outcome {
	page := max(1, height-around(height)-2)
	at := l.At
	switch {
	case m.Is(p, keys.SelectUp) || p.Text == "k":
		at--
	case m.Is(p, keys.SelectDown) || p.Text == "j":
		at++
	case m.Is(p, keys.SelectPageUp):
		at -= page
	case m.Is(p, keys.SelectPageDown) || p.Text == " ":
		at += page
	case m.Is(p, keys.ScrollTop) || p.Text == "g":
		at = 0
	case m.Is(p, keys.ScrollBottom) || p.Text == "G":
		at = len(l.Lines) - 1
	case p.Text == "n":
		at = l.marked(1)
	case p.Text == "N":
		at = l.marked(-1)
	case m.Is(p, keys.SelectCancel) || p.Text == "q":
		return Cancelled
	case m.Is(p, keys.SelectConfirm) && l.Lines[l.At].About != "":
		return Chosen
	}
	l.At = max(0, min(at, len(l.Lines)-1))
	return Open
}

// marked returns the next marked line in a direction that does not follow another one.
func (l *Lines) marked(by int) int {
	for at := l.At + by; at >= 0 && at < len(l.Lines); at += by {
		if l.Lines[at].Marked && (at == 0 || !l.Lines[at-1].Marked) {
			return at
		}
	}
	return l.At
}

// linesAround is the number of lines above and below those of the file. A low window
// has only the origin of the selected line above them.
const (
	linesAround = 5
	lowHeight   = 10
)

func around(height int) int {
	if height < lowHeight {
		return 1
	}
	return linesAround
}

// View draws the lines around the selected one.
func (l *Lines) View(t *paint.Theme, m *keys.Map, width, height int) string {
	about := cmp.Or(l.Lines[l.At].About, "no session is known to have written this line")
	lines := []string{
		t.Rule(width),
		t.Line(width, paint.Span{Tone: paint.Strong, Text: termsafe.Fit(termsafe.Line(l.Title), width)}),
		t.Line(width, paint.Span{Tone: paint.Muted, Text: termsafe.Fit(termsafe.Line(about), width)}),
		t.Rule(width),
	}
	if height < lowHeight {
		lines = lines[2:3]
	}
	room := max(1, height-around(height))
	top := max(0, min(l.At-room/2, len(l.Lines)-room))
	digits := len(strconv.Itoa(len(l.Lines)))
	for i := top; i < min(len(l.Lines), top+room); i++ {
		row, mark := l.Lines[i], "  "
		if row.Marked {
			mark = "▌ "
		}
		spans := []paint.Span{
			{Tone: paint.Accent, Text: mark},
			{Tone: paint.Dim, Text: termsafe.PadLeft(strconv.Itoa(i+1), digits) + " "},
			{Tone: row.Tone, Text: termsafe.Fit(termsafe.Text(row.Text), max(1, width-digits-5))},
		}
		if i == l.At {
			lines = append(lines, t.Selected(width, append([]paint.Span{{Tone: paint.Accent, Text: "›"}}, spans...)...))
		} else {
			lines = append(lines, t.Line(width, append([]paint.Span{{Text: " "}}, spans...)...))
		}
	}
	if height < lowHeight {
		return paint.Block(height, lines...)
	}
	lines = paint.Fill(lines, height-1)
	hint := m.Label(keys.SelectUp) + "/" + m.Label(keys.SelectDown) + " move · n next lines of the turn · " + m.Label(keys.SelectConfirm) + " show the turn · " + m.Label(keys.SelectCancel) + " back"
	return paint.Block(height, append(lines, t.Line(width, paint.Span{Tone: paint.Dim, Text: hint}))...)
}
