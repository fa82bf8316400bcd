package summarize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Limits on the sections of an earlier summary, in letters.
const (
	earlierLength = 6000
	titleLength   = 80
	maxSections   = 24
)

// A section is a section of an earlier summary, which a model, a person or this
// package may have written.
type section struct {
	title string
	lines []string
}

// earlierMark starts the headings of sections that are carried on.
const earlierMark = "Earlier: "

// seams are lines without content between the two halves of a split turn.
var seams = []string{"---", "**Turn Context (split turn):**", "No prior history."}

// carry adds an earlier summary without its file lists, which each summary
// has of its own.
func (x *extraction) carry(summary string) {
	var s section
	var inCode, stale bool
	listEnd := "" // in a file list, the line that ends it
	for line := range strings.Lines(clean(summary)) {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		if listEnd != "" {
			if line == listEnd {
				listEnd = ""
			}
			continue
		}
		if stale = isStale(line) || stale && strings.HasPrefix(line, "  >"); stale {
			continue
		}
		if isFence(line) {
			inCode = !inCode
		}
		switch title, heading := headingOf(line); {
		case inCode:
			s.lines = append(s.lines, line)
		case line == "<read-files>" || line == "<modified-files>":
			listEnd = "</" + line[1:]
		case heading:
			x.section(s)
			s = section{title: title}
		case !slices.Contains(seams, line):
			s.lines = append(s.lines, line)
		}
	}
	x.section(s)
}

func isStale(line string) bool {
	return strings.HasPrefix(line, pendingMark) || strings.HasPrefix(line, failedMark) || line == answerMark
}

func isFence(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "```") }

func headingOf(line string) (title string, ok bool) {
	marks := line[:len(line)-len(strings.TrimLeft(line, "#"))]
	title, ok = strings.CutPrefix(line[len(marks):], " ")
	return strings.TrimPrefix(oneLine(title, titleLength), earlierMark), ok && marks != ""
}

// section adds a section. Sections with the same title become one.
func (x *extraction) section(s section) {
	s.lines = slices.DeleteFunc(s.lines, func(line string) bool { return strings.TrimSpace(strings.Trim(line, "-*")) == none })
	if strings.TrimSpace(strings.Join(s.lines, "")) == "" {
		return
	}
	if s.title == "Goal" || s.title == "Original Request" {
		x.addGoals(s.lines)
		return
	}
	if i := slices.IndexFunc(x.earlier, func(e section) bool { return e.title == s.title }); i >= 0 {
		x.earlier[i].lines = append(x.earlier[i].lines, s.lines...)
	} else if len(x.earlier) < maxSections {
		x.earlier = append(x.earlier, s)
	}
}

// addGoals adds the items of a section of goals to the requests. An indented
// line continues an item, and quoted lines are one.
func (x *extraction) addGoals(lines []string) {
	var items []string
	wasQuoted := false
	for _, line := range lines {
		text, isQuoted := strings.CutPrefix(line, ">")
		text = strings.TrimSpace(text)
		var n int
		if _, err := fmt.Sscanf(text, "- "+leftFormat, &n); err == nil && n > 0 {
			x.left += n
			continue
		}
		if len(items) > 0 && (isQuoted && wasQuoted || strings.HasPrefix(line, " ")) {
			items[len(items)-1] += " " + text
		} else {
			items = append(items, strings.TrimPrefix(strings.TrimPrefix(text, "- "), "* "))
		}
		wasQuoted = isQuoted
	}
	for _, item := range items {
		x.request(item)
	}
}

// writeEarlier writes the sections of an earlier summary. If they are too long,
// it shortens the longest.
func (x *extraction) writeEarlier(b *strings.Builder) {
	bodies := make([]string, len(x.earlier))
	lengths := make([]int, len(x.earlier))
	for i, s := range x.earlier {
		bodies[i] = strings.TrimSpace(strings.Join(s.lines, "\n"))
		lengths[i] = length(bodies[i])
	}
	limit := longest(lengths, earlierLength)
	for i, s := range x.earlier {
		b.WriteString("\n\n## " + earlierMark + cmp.Or(s.title, "Summary") + "\n" + closeFence(shorten(bodies[i], limit)))
	}
}

// longest returns the length to which texts of these lengths must be shortened
// so that they have room together. It sorts the lengths.
func longest(lengths []int, room int) int {
	slices.Sort(lengths)
	for i, n := range lengths {
		if share := room / (len(lengths) - i); n > share {
			return share
		}
		room -= n
	}
	return earlierLength
}

// closeFence ends a code block whose end is missing.
func closeFence(text string) string {
	open := false
	for line := range strings.Lines(text) {
		open = open != isFence(line)
	}
	if open {
		return text + "\n```"
	}
	return text
}

// branchText returns the summary of a branch without its introduction and file
// lists.
func branchText(summary string) string {
	if _, text, ok := strings.Cut(summary, "Summary of that exploration:"); ok {
		summary = text
	}
	summary, _, _ = strings.Cut(summary, "\n<read-files>\n")
	summary, _, _ = strings.Cut(summary, "\n<modified-files>\n")
	return summary
}
