package conversation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// mostChanged is how many lines of a change are shown.
const mostChanged = 400

// A change is a text that a tool puts in the place of another. Programs name
// both differently.
type change struct {
	OldText   *string `json:"oldText"`
	NewText   *string `json:"newText"`
	OldString *string `json:"old_string"`
	NewString *string `json:"new_string"`
}

// texts are the old and the new text; ok is false for what is no change.
func (c *change) texts() (old, now string, ok bool) {
	switch {
	case c.OldText != nil && c.NewText != nil:
		return *c.OldText, *c.NewText, true
	case c.OldString != nil && c.NewString != nil:
		return *c.OldString, *c.NewString, true
	}
	return "", "", false
}

// changes draws the arguments of a call that changes a file: what goes in one
// colour, what comes in another, what stays in none. It is nothing for a call
// that changes none.
func (m *Model) changes(raw json.RawMessage) []string {
	var args struct {
		change
		Edits []change `json:"edits"`
	}
	if json.Unmarshal(raw, &args) != nil {
		return nil
	}
	var lines []string
	for _, c := range append([]change{args.change}, args.Edits...) {
		old, now, ok := c.texts()
		if !ok {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, m.line(paint.Dim, "  ⋯"))
		}
		lines = append(lines, m.replacement(old, now)...)
	}
	if more := len(lines) - mostChanged; more > 0 {
		lines = append(lines[:mostChanged:mostChanged], m.line(paint.Dim, fmt.Sprintf("  … %d more lines", more)))
	}
	return lines
}

// replacement draws one change. Lines that both begin or end with have not changed.
func (m *Model) replacement(old, now string) []string {
	a, b := rowsOf(old), rowsOf(now)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var lines []string
	add := func(mark string, tone paint.Tone, rows []string) {
		for _, row := range rows {
			lines = append(lines, m.theme.Line(m.textWidth(), paint.Span{Text: "  "}, paint.Span{Tone: tone, Text: mark + row}))
		}
	}
	add("  ", paint.Muted, a[:head])
	add("- ", paint.Removed, a[head:len(a)-tail])
	add("+ ", paint.Added, b[head:len(b)-tail])
	add("  ", paint.Muted, a[len(a)-tail:])
	return lines
}

// rowsOf are the lines of a text; none for no text.
func rowsOf(text string) []string {
	text = strings.TrimSuffix(termsafe.Text(text), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
