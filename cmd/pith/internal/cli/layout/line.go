package layout

import (
	"slices"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// oneLineCells is the maximum width of a text on one line.
const oneLineCells = 200

// OneLine returns text trimmed, escaped and not too long.
func OneLine(s string) string {
	return strings.TrimSpace(termsafe.Fit(strings.TrimSpace(s), oneLineCells))
}

// NonEmpty returns the texts that are not empty.
func NonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

// TitleCells is the maximum width of a title without a terminal.
const TitleCells = 120

// Flatten returns text on one line, with one space between words.
func Flatten(s string) string {
	return strings.Join(strings.Fields(termsafe.Fit(s, 4*TitleCells)), " ")
}

// Wrap breaks a line at spaces so that it takes at most cells cells, or at any
// character if there is no space. Continuation lines are indented.
func Wrap(line string, cells, indent int) []string {
	if len(line) <= cells {
		return []string{line}
	}
	var out []string
	margin := strings.Repeat(" ", indent)
	start, width, space, words := 0, 0, -1, false // of the current piece
	prefix := ""
	for i, r := range line {
		if i < start {
			continue // a skipped space
		}
		w := 1
		if r >= 0x80 {
			w = termsafe.Width(string(r))
		}
		if r == ' ' && words {
			space = i
		}
		words = words || r != ' '
		for width+w > cells && i > start { // twice if a word is longer than a line
			at := i
			if space > start {
				at = space
			}
			out = append(out, prefix+strings.TrimRight(line[start:at], " "))
			prefix, space = margin, -1
			start = at + len(line[at:]) - len(strings.TrimLeft(line[at:], " "))
			if start >= len(line) {
				return out
			}
			width = indent
			if i > start {
				width += termsafe.Width(line[start:i])
			}
		}
		if i >= start {
			width += w
		}
	}
	return append(out, prefix+line[start:])
}
