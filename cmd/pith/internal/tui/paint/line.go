package paint

import (
	"iter"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// A Span is a piece of a line in one tone.
type Span struct {
	Tone Tone
	Text string
}

// Faint returns a text that is less important.
func Faint(text string) Span { return Span{Tone: Dim, Text: text} }

// Width returns the number of cells of spans.
func Width(spans []Span) int {
	n := 0
	for _, s := range spans {
		n += termsafe.Width(termsafe.Line(s.Text))
	}
	return n
}

// Line draws spans in at most width cells. If they do not fit, they are cut
// with an ellipsis.
func (t *Theme) Line(width int, spans ...Span) string { return t.draw(width, spans, false) }

// Selected draws spans as the selected line: on another background, over the
// whole width.
func (t *Theme) Selected(width int, spans ...Span) string { return t.draw(width, spans, true) }

func (t *Theme) draw(width int, spans []Span, selected bool) string {
	var b strings.Builder
	left := width
	for i, s := range spans {
		if left <= 0 {
			break
		}
		text := termsafe.Fit(s.Text, left)
		full := termsafe.Width(text) == left && more(spans[i+1:])
		if full {
			text = termsafe.Fit(text+"..", left) // the cut shows here, not in the next span
		}
		left -= termsafe.Width(text)
		t.paint(&b, s.Tone, text, selected)
		if full {
			break
		}
	}
	if selected && left > 0 {
		t.paint(&b, Plain, strings.Repeat(" ", left), true)
	}
	return b.String()
}

// more reports whether any of the spans shows something.
func more(spans []Span) bool {
	return slices.ContainsFunc(spans, func(s Span) bool { return s.Text != "" })
}

func (t *Theme) paint(b *strings.Builder, tone Tone, text string, selected bool) {
	if text == "" {
		return
	}
	code := t.codes[tone]
	if selected {
		if code != "" {
			code += ";"
		}
		code += t.selection
	}
	if code == "" {
		b.WriteString(text)
		return
	}
	b.WriteString("\x1b[")
	b.WriteString(code)
	b.WriteByte('m')
	b.WriteString(text)
	b.WriteString("\x1b[0m")
}

// Rule returns a line across the window.
func (t *Theme) Rule(width int) string {
	return t.Line(width, Span{Dim, strings.Repeat("─", max(width, 0))})
}

// Sides draws two lists of spans, one at each end of a line. If there is not
// enough room for both, the right one is cut.
func (t *Theme) Sides(width int, left, right []Span) string {
	l := Width(left)
	room := width - l - 1
	if r := Width(right); r <= room {
		pad := Span{Plain, strings.Repeat(" ", width-l-r)}
		return t.draw(width, append(append(append([]Span{}, left...), pad), right...), false)
	}
	if room < 8 {
		return t.draw(width, left, false)
	}
	return t.draw(l, left, false) + " " + t.draw(room, right, false)
}

// Block returns lines as a screen of exactly height lines: cut or filled at the
// end.
func Block(height int, lines ...string) string {
	if height <= 0 {
		return ""
	}
	if len(lines) > height {
		lines = lines[:height]
	}
	var b strings.Builder
	for i := range height {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i < len(lines) {
			b.WriteString(lines[i])
		}
	}
	return b.String()
}

// Fill appends blank lines, up to n lines.
func Fill(lines []string, n int) []string {
	return append(lines, make([]string, max(0, n-len(lines)))...)
}

// Beside puts two blocks of drawn lines next to each other, with a bar between
// them. The lines of the left block take at most width cells.
func (t *Theme) Beside(left []string, width int, right []string) []string {
	n := max(len(left), len(right))
	out := make([]string, n)
	bar := t.Line(3, Span{Dim, " │ "})
	for i := range n {
		var l, r string
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		out[i] = l + strings.Repeat(" ", max(0, width-Shown(l))) + bar + r
	}
	return out
}

// Shown returns the number of cells of a drawn line, without its colors.
func Shown(line string) int {
	n := 0
	for _, piece := range coloredPieces(line) {
		n += termsafe.Width(piece)
	}
	return n
}

// Cut returns as much of the start of a drawn line as fits into cells.
func Cut(line string, cells int) string {
	if Shown(line) <= cells {
		return line
	}
	var b strings.Builder
	for code, piece := range coloredPieces(line) {
		piece = termsafe.Cut(piece, max(0, cells))
		cells -= termsafe.Width(piece)
		if piece != "" {
			writeColored(&b, code, piece)
		}
	}
	return b.String()
}

// Bare returns a drawn line without its colors.
func Bare(line string) string {
	var b strings.Builder
	for _, piece := range coloredPieces(line) {
		b.WriteString(piece)
	}
	return b.String()
}

// coloredPieces yields the text between the color sequences of a drawn line, each
// piece with the code of the sequence before it.
func coloredPieces(line string) iter.Seq2[string, string] {
	return func(yield func(code, piece string) bool) {
		code := ""
		for {
			piece, rest, colored := strings.Cut(line, "\x1b[")
			if !yield(code, piece) || !colored {
				return
			}
			code, line, _ = strings.Cut(rest, "m")
		}
	}
}
