package cli

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// How much is shown of what is not the conversation itself.
const (
	thinkingLines = 3
	resultLines   = 8
	longestLine   = 240
)

// A printer takes text that is ready to be seen.
type printer interface{ print(s string) }

// A sheet is a place where things said are written under headings. All text is
// set in by two spaces, so that no text can pass for a heading.
type sheet struct {
	out     printer
	colors  palette
	width   int // 0 means any
	started bool
}

// heading begins something new: what it is, then facts about it and its label.
// All of them must be harmless.
func (c *sheet) heading(t tone, what string, facts []string, label string) {
	if c.started {
		c.out.print("\n")
	}
	c.started = true
	line, rest := "── "+what, ""
	if len(facts) > 0 {
		rest = " · " + strings.Join(facts, " · ")
	}
	if label != "" {
		label = " [" + label + "]"
	}
	if c.width > 0 {
		line = termsafe.Fit(line, c.width)
		rest = termsafe.Fit(rest, c.width-termsafe.Width(line))
		label = termsafe.Fit(label, c.width-termsafe.Width(line)-termsafe.Width(rest))
	}
	c.out.print(c.colors.paint(t, line))
	c.out.print(c.colors.dim(rest))
	c.out.print(c.colors.paint(toneWarning, label))
	c.out.print("\n")
}

// text prints text in full.
func (c *sheet) text(s string) { c.indented("  ", toneNone, s) }

// indented prints text in full, behind a margin.
func (c *sheet) indented(margin string, t tone, s string) {
	s = strings.Trim(termsafe.Text(s), "\n")
	if s == "" {
		return
	}
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, " ")
		if line != "" {
			c.out.print(margin)
			c.out.print(c.colors.paint(t, line))
		}
		c.out.print("\n")
	}
}

// line prints one line, cut to the width.
func (c *sheet) line(t tone, s string) { c.lineBehind("  ", t, s) }

func (c *sheet) lineBehind(margin string, t tone, s string) {
	cells := longestLine
	if c.width > 0 {
		cells = max(1, c.width-len(margin))
	}
	s = strings.TrimRight(termsafe.Fit(s, cells), " ")
	if s != "" {
		c.out.print(margin)
		c.out.print(c.colors.paint(t, s))
	}
	c.out.print("\n")
}

// shortened prints the first lines of a text and says how many follow.
func (c *sheet) shortened(t tone, lead, s string, most int) {
	c.beginning("  ", t, lead, s, most, 0)
}

// beginning is shortened behind a margin, for a text of which so many lines are
// missing already.
func (c *sheet) beginning(margin string, t tone, lead, s string, most, missing int) {
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
		c.lineBehind(margin, t, lead+termsafe.Text(firstPart(strings.TrimRight(line, "\r"))))
		lead = ""
		shown++
	}
	if total > shown {
		c.lineBehind(margin, toneDim, "… "+humanize.Count(total-shown, "more line"))
	}
}

// firstPart bounds the work on a line of which the beginning is shown.
func firstPart(s string) string { return s[:min(len(s), 16*longestLine)] }
