package conversation

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/markdown"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// mostMarkdown is how long a text may be that is laid out as markdown; longer
// ones are shown as they are.
const mostMarkdown = 128 << 10

// marked draws a text, which may be anything, as markdown in at most width cells.
func marked(t *paint.Theme, text string, width int) []string {
	if len(text) > mostMarkdown || width < 12 {
		return plainLines(t, paint.Plain, text, width)
	}
	spans := markdown.Lines(text, width)
	lines := make([]string, len(spans))
	for i, line := range spans {
		lines[i] = t.Line(width, line...)
	}
	return lines
}

// plainLines wraps a text at its words.
func plainLines(t *paint.Theme, tone paint.Tone, text string, width int) []string {
	wrapped := strings.Split(ansi.Wrap(termsafe.Text(text), max(1, width), " "), "\n")
	for i, line := range wrapped {
		wrapped[i] = t.Line(width, paint.Span{Tone: tone, Text: line})
	}
	return wrapped
}
