package cli

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/inspect/diff"
)

// A diffLine is one line of a column: harmless, with the column at which text that
// does not fit goes on.
type diffLine struct {
	text   string
	tone   tone
	indent int
}

// A diffSheet is what is said about one side.
type diffSheet []diffLine

// answerLines is how much of a final answer is shown.
const answerLines = 30

// branchSheet tells what a side did since the histories part.
func (a *app) branchSheet(letter string, s diff.Side, b *diff.Branch, c *diff.Comparison) diffSheet {
	var d diffSheet
	say := func(t tone, indent int, text string) { d = append(d, diffLine{termsafe.Line(text), t, indent}) }
	fact := func(word, text string) { say(toneNone, 10, termsafe.Pad(word, 10)+text) }
	title := "── " + letter + " · since they part"
	if c.Common.Entries == 0 {
		title = "── " + letter + " · the whole path"
	}
	say(toneUser, 3, title+" · "+humanize.Count(b.Entries, "entry"))
	if b.Entries == 0 {
		fact("", "nothing")
		return d
	}
	for _, x := range b.Exchanges {
		text := fmt.Sprintf("%-3d %s", x.Number, oneLine(x.Text))
		if x.Number == 0 {
			text = "…   goes on with the shared exchange"
		}
		if x.Calls > 0 {
			text += " (" + humanize.Count(x.Calls, "tool call")
			if x.Errors > 0 {
				text += ", " + humanize.Count(x.Errors, "error")
			}
			text += ")"
		}
		say(toneBold, 4, text)
	}
	if len(b.Tools) > 0 {
		fact("tools", toolCounts(b.Tools))
	}
	for i, path := range b.Modified {
		fact(onFirst(i, "modified"), a.homely(path))
	}
	for i, path := range b.Read {
		fact(onFirst(i, "read"), a.homely(path))
	}
	if b.Compactions+b.Summaries > 0 {
		fact("summed up", fmt.Sprintf("%s, %s", humanize.Count(b.Compactions, "compaction"), humanize.Count(b.Summaries, "branch summary")))
	}
	for i, model := range b.Models {
		fact(onFirst(i, "model"), oneLine(model))
	}
	fact("spent", spending(b.Spent))
	if took := b.Ended.Sub(b.Begun); took > 0 {
		fact("time", humanize.Time(b.Begun)+" to "+humanize.Time(b.Ended))
	}
	a.sheetAnswer(&d, s, b)
	return d
}

// sheetAnswer adds the final answer.
func (a *app) sheetAnswer(d *diffSheet, s diff.Side, b *diff.Branch) {
	if b.Failure != "" {
		*d = append(*d, diffLine{"! " + oneLine(b.Failure), toneError, 2})
	}
	if b.Answer == "" {
		return
	}
	*d = append(*d, diffLine{"answer", toneDim, 0})
	lines := strings.Split(strings.TrimSpace(termsafe.Text(b.Answer)), "\n")
	for i, line := range lines {
		if i == answerLines {
			more := a.hint("show", s.Session.File(), "--at", b.AnswerEntry)
			*d = append(*d, diffLine{termsafe.Line(fmt.Sprintf("  … %d more lines: %s", len(lines)-i, more)), toneDim, 2})
			return
		}
		*d = append(*d, diffLine{"  " + strings.TrimRight(line, " "), toneNone, 2})
	}
}

func toolCounts(tools []diff.Tool) string {
	var parts []string
	for _, t := range tools {
		text := fmt.Sprintf("%s %d", oneLine(t.Name), t.Calls)
		if t.Errors > 0 {
			text += fmt.Sprintf(" (%d failed)", t.Errors)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// onFirst is a word for the first line of a list, and nothing for the others.
func onFirst(i int, word string) string {
	if i == 0 {
		return word
	}
	return ""
}

// wrapped is a sheet with lines of at most the given number of cells; 0 means any.
func (d diffSheet) wrapped(cells int) []diffLine {
	if cells <= 0 {
		return d
	}
	var out []diffLine
	for _, l := range d {
		for _, text := range wrapCells(l.text, cells, min(l.indent, cells/2)) {
			out = append(out, diffLine{text: text, tone: l.tone})
		}
	}
	return out
}

// wrapCells breaks a line at spaces, and where there is none at any character. What
// goes on is set in.
func wrapCells(line string, cells, indent int) []string {
	var out []string
	for termsafe.Width(line) > cells {
		at, space, width := 0, 0, 0
		for i, r := range line {
			if width += termsafe.Width(string(r)); width > cells {
				break
			}
			at = i + len(string(r))
			if r == ' ' && strings.TrimSpace(line[:i]) != "" {
				space = i
			}
		}
		if space > indent {
			at = space
		}
		if at == 0 {
			break // not one character fits
		}
		out = append(out, strings.TrimRight(line[:at], " "))
		line = strings.Repeat(" ", indent) + strings.TrimLeft(line[at:], " ")
		if termsafe.Width(strings.TrimLeft(line, " ")) == 0 {
			return out
		}
	}
	return append(out, line)
}
