package paint

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// A Hint names a key and what it does now.
type Hint struct{ Key, Word string }

// mostHints is the maximum number of hints in a line.
const mostHints = 6

// A Frame is a screen: two lines above its content and two below.
type Frame struct {
	Title, Right  []Span
	Under         string // the second line, drawn
	Body          []string
	Status, Place []Span
	// Hints are the keys that work, the main one first. If they do not fit, the last
	// but one goes first: the last leads to all keys.
	Hints []Hint
}

// lowHeight is the height of a window with two lines above and below the content. A
// lower one has the second line, the content and the hints.
const lowHeight = 8

// Around returns the number of lines above and below the content of a window.
func Around(height int) (above, below int) {
	if height < lowHeight {
		return 1, 1
	}
	return 2, 2
}

// Room returns the number of lines for the content of a window.
func Room(height int) int {
	above, below := Around(height)
	return max(0, height-above-below)
}

// Frame draws a screen, with exactly height lines.
func (t *Theme) Frame(f *Frame, width, height int) []string {
	var lines []string
	above, below := Around(height)
	if above > 1 {
		lines = append(lines, t.ends(width, 1, f.Title, f.Right))
	}
	lines = append(lines, f.Under)
	body := f.Body[:min(len(f.Body), Room(height))]
	lines = Fill(append(lines, body...), height-below)
	if below > 1 {
		lines = append(lines, t.ends(width, 2, f.Status, f.Place))
	}
	indent := "  "
	if width < 40 {
		indent = " "
	}
	lines = append(lines, t.hints(width, indent, f.Hints))
	return lines[:max(0, min(len(lines), height))]
}

// ends draws spans at both ends of a line, indented. The left ones are cut so that the
// right ones fit, unless little would be left.
func (t *Theme) ends(width, indent int, left, right []Span) string {
	in := Span{Text: strings.Repeat(" ", indent)}
	room, r := width-indent, Width(right)
	if r == 0 {
		return t.Line(width, append([]Span{in}, left...)...)
	}
	if l := Width(left); l+2+r > room {
		if room-r-2 < 12 {
			return t.Line(width, append([]Span{in}, left...)...)
		}
		return t.Line(width-r-2, append([]Span{in}, left...)...) + "  " + t.Line(r, right...)
	}
	return t.Sides(width, append([]Span{in}, left...), right)
}

// Ends draws spans at both ends of a line; the left ones are cut if needed.
func (t *Theme) Ends(width int, left, right []Span) string { return t.ends(width, 0, left, right) }

func (t *Theme) hints(width int, indent string, hints []Hint) string {
	if len(hints) == 0 {
		return ""
	}
	const between = " · "
	n := min(len(hints), mostHints)
	last := hints[len(hints)-1]
	shown := append(append([]Hint{}, hints[:n-1]...), last)
	cells := func() int {
		used := len(indent)
		for i, h := range shown {
			if i > 0 {
				used += termsafe.Width(between)
			}
			used += termsafe.Width(strings.TrimSpace(h.Key + " " + h.Word))
		}
		return used
	}
	for len(shown) > 2 && cells() > width {
		shown = append(shown[:len(shown)-2], last)
	}
	if len(shown) == 2 && cells() > width {
		shown[1].Word = "" // the key says enough
	}
	spans := []Span{{Text: indent}}
	for i, h := range shown {
		if i > 0 {
			spans = append(spans, Span{Dim, between})
		}
		spans = append(spans, Span{Accent, h.Key})
		if h.Word != "" {
			spans = append(spans, Span{Dim, " " + h.Word})
		}
	}
	return t.Line(width, spans...)
}

// Box draws lines in a box with a title in its border. The lines take width-4 cells.
func (t *Theme) Box(width int, title string, lines []string) []string {
	inner := max(0, width-4)
	title = termsafe.Fit(title, max(0, inner-3))
	top := "╭─ " + title + " " + strings.Repeat("─", max(0, width-5-termsafe.Width(title))) + "╮"
	out := []string{t.Line(width, Span{Dim, top})}
	side := func(text string) string { return t.Line(2, Span{Dim, text}) }
	for _, line := range lines {
		line = Cut(line, inner)
		out = append(out, side("│ ")+line+strings.Repeat(" ", inner-Shown(line))+side(" │"))
	}
	return append(out, t.Line(width, Span{Dim, "╰" + strings.Repeat("─", max(0, width-2)) + "╯"}))
}

// Over puts a block of drawn lines over others, in the middle of the width, from a line
// on.
func Over(base, block []string, width, at int) []string {
	out := append([]string{}, base...)
	for i, line := range block {
		if at+i >= 0 && at+i < len(out) {
			out[at+i] = strings.Repeat(" ", max(0, (width-Shown(line))/2)) + line
		}
	}
	return out
}
