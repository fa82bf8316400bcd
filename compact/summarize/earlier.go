package summarize

import (
	"fmt"
	"slices"
	"strings"
)

// An earlier summary, taken apart so that it can be merged with what came after
// it. It may have been written by a model, by a person or here.
type earlier struct {
	parts map[part][]string
	// more are sections under other names, whole.
	more []section
	left int // steps that it says were left out
}

// A part is a section that every summary has.
type part uint8

const (
	unknownPart part = iota
	goalPart
	wishPart
	donePart
	doingPart
	blockedPart
	choicePart
	nextPart
	contextPart
	focusPart
	emptyPart // a heading with nothing of its own
)

// A section is one that a summary has beside those.
type section struct {
	title string
	lines []string
}

// maxItem is how long one item gets, in bytes, when lines that go on with it are
// added.
const maxItem = 4000

// The lists of files are made anew with each summary, and the line between the
// two halves of a split turn says nothing.
var dropped = []string{"<read-files>", "</read-files>", "<modified-files>", "</modified-files>", "**Turn Context (split turn):**", "---", "No prior history."}

// parseEarlier takes a summary apart; nil for none.
func parseEarlier(text string) *earlier {
	text = strings.TrimSpace(valid(text))
	if text == "" {
		return nil
	}
	e := &earlier{parts: map[part][]string{}}
	at, title, inFiles, inCode := unknownPart, "", false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		bare := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(bare, fence):
			inCode = !inCode
		case !inCode && (bare == dropped[0] || bare == dropped[2]):
			inFiles = true
			continue
		case inFiles:
			inFiles = bare != dropped[1] && bare != dropped[3]
			continue
		case !inCode && slices.Contains(dropped, bare):
			continue
		case !inCode && strings.HasPrefix(line, "#"):
			heading := strings.TrimSpace(strings.TrimLeft(line, "#"))
			// Below a section of its own kind, smaller headings belong to it.
			if p := partOf(heading); p != unknownPart || at != unknownPart || title == "" || strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "# ") {
				at, title = p, heading
				continue
			}
		}
		e.line(at, title, line)
	}
	return e
}

// partOf is the part that a heading begins.
func partOf(heading string) part {
	h := strings.ToLower(strings.Trim(heading, "*: "))
	for _, known := range []struct {
		word string
		part part
	}{
		{"additional focus", focusPart},
		{"original request", goalPart}, {"goal", goalPart}, {"objective", goalPart},
		{"constraint", wishPart}, {"preference", wishPart},
		{"in progress", doingPart}, {"blocked", blockedPart}, {"decision", choicePart}, {"next step", nextPart},
		{"critical context", contextPart}, {"context needed to continue", contextPart},
		{"progress so far", donePart}, {"done", donePart}, {"completed", donePart},
	} {
		if strings.Contains(h, known.word) {
			return known.part
		}
	}
	if h == "progress" {
		return emptyPart
	}
	return unknownPart
}

// line takes one line of a section.
func (e *earlier) line(at part, title, line string) {
	bare := strings.TrimSpace(line)
	switch {
	case at == unknownPart:
		if n := len(e.more); n == 0 || e.more[n-1].title != title {
			if bare == "" {
				return
			}
			e.more = append(e.more, section{title: title})
		}
		s := &e.more[len(e.more)-1]
		s.lines = append(s.lines, line)
		return
	case bare == "" || strings.Trim(bare, "-* ") == "(none)":
		return
	}
	var n int
	if _, err := fmt.Sscanf(strings.TrimPrefix(bare, "- [x] "), leftFormat, &n); err == nil {
		e.left += n
		return
	}
	items := e.parts[at]
	text, item := unmarked(bare)
	// A line that is indented, or follows without a mark, goes on with an item.
	if len(items) > 0 && (line != bare || !item && at != goalPart) {
		if last := &items[len(items)-1]; len(*last) < maxItem {
			*last += " " + strings.TrimLeft(bare, "- ")
		}
		return
	}
	e.parts[at] = append(items, text)
}

const leftFormat = "(%d smaller steps left out)"

// leftLine says how many steps a summary does not tell.
func leftLine(n int) string { return fmt.Sprintf(leftFormat, n) }

// items are those of a part; none of no summary.
func (e *earlier) items(p part) []string {
	if e == nil {
		return nil
	}
	return e.parts[p]
}

// branchText is the summary of a branch without the words and lists around it.
func branchText(summary string) string {
	_, text, ok := strings.Cut(summary, "Summary of that exploration:")
	if !ok {
		text = summary
	}
	text, _, _ = strings.Cut(text, dropped[0])
	text, _, _ = strings.Cut(text, dropped[2])
	return text
}
