// Package layout formats text for reading: sheets with headings, tables, lines.
// All of it is safe for a terminal.
package layout

import (
	"bytes"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
)

// A Buffer collects output.
type Buffer struct{ bytes.Buffer }

func (b *Buffer) Print(s string) { b.WriteString(s) }

// Limits for output outside the conversation.
const (
	ThinkingLines = 3
	ResultLines   = 8
	LongestLine   = 240
)

// A Printer accepts text that is ready to be shown.
type Printer interface{ Print(s string) }

// A Sheet shows text under headings. All text is indented by two spaces, so
// that it cannot look like a heading.
type Sheet struct {
	Out     Printer
	Colors  tone.Palette
	Width   int // 0 means no limit
	Started bool
}

// Heading starts a section: its title, then facts about it and its label. All
// of them must be safe to print.
func (c *Sheet) Heading(t tone.Tone, what string, facts []string, label string) {
	if c.Started {
		c.Out.Print("\n")
	}
	c.Started = true
	line, rest := "── "+what, ""
	if len(facts) > 0 {
		rest = " · " + strings.Join(facts, " · ")
	}
	if label != "" {
		label = " [" + label + "]"
	}
	if c.Width > 0 {
		line = termsafe.Fit(line, c.Width)
		rest = termsafe.Fit(rest, c.Width-termsafe.Width(line))
		label = termsafe.Fit(label, c.Width-termsafe.Width(line)-termsafe.Width(rest))
	}
	c.Out.Print(c.Colors.Paint(t, line))
	c.Out.Print(c.Colors.Dim(rest))
	c.Out.Print(c.Colors.Paint(tone.Warning, label))
	c.Out.Print("\n")
}

// Text prints text in full.
func (c *Sheet) Text(s string) { c.Indented("  ", tone.None, s) }

// Indented prints text in full, after a margin.
func (c *Sheet) Indented(margin string, t tone.Tone, s string) {
	s = strings.Trim(termsafe.Text(s), "\n")
	if s == "" {
		return
	}
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, " ")
		pieces := []string{line}
		if room := c.Width - len(margin); c.Width > 0 && room >= leastWrapped {
			indent := len(line) - len(strings.TrimLeft(line, " "))
			pieces = Wrap(line, room, min(indent, room/2))
		}
		for _, piece := range pieces {
			if piece != "" {
				c.Out.Print(margin)
				c.Out.Print(c.Colors.Paint(t, piece))
			}
			c.Out.Print("\n")
		}
	}
}

// leastWrapped is the minimum width at which words are kept whole.
const leastWrapped = 20

// Line prints one line, cut to the width.
func (c *Sheet) Line(t tone.Tone, s string) { c.LineBehind("  ", t, s) }

func (c *Sheet) LineBehind(margin string, t tone.Tone, s string) {
	cells := LongestLine
	if c.Width > 0 {
		cells = max(1, c.Width-len(margin))
	}
	s = strings.TrimRight(termsafe.Fit(s, cells), " ")
	if s != "" {
		c.Out.Print(margin)
		c.Out.Print(c.Colors.Paint(t, s))
	}
	c.Out.Print("\n")
}

// Beginning prints the first lines of a text after a margin, and the number of
// the remaining lines, including those that are already missing.
func (c *Sheet) Beginning(margin string, t tone.Tone, lead, s string, most, missing int) {
	s = strings.TrimRight(s, "\n\r\t ")
	if s == "" {
		return
	}
	total := strings.Count(s, "\n") + 1 + missing
	shown := 0
	for line := range strings.SplitSeq(s, "\n") {
		if shown == most {
			break
		}
		c.LineBehind(margin, t, lead+termsafe.Text(firstPart(strings.TrimRight(line, "\r"))))
		lead = ""
		shown++
	}
	if total > shown {
		c.LineBehind(margin, tone.Dim, "… "+humanize.Count(total-shown, "more line"))
	}
}

// firstPart bounds the work on a line of which the start is shown.
func firstPart(s string) string { return s[:min(len(s), 16*LongestLine)] }
