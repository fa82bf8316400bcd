package summarize

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An earlier is a parsed earlier summary, to be merged with later messages. A
// model, a person or this package may have written it.
type earlier struct {
	parts map[part][]string
	more  []section // sections with other names, complete
	left  int       // number of steps that it reports as left out
}

// A part is a section that every summary has; "" is any other.
type part string

const (
	goalPart    part = "goal"
	wishPart    part = "constraint"
	donePart    part = "done"
	choicePart  part = "decision"
	nextPart    part = "next step"
	contextPart part = "critical context"
	focusPart   part = "additional focus"
	momentPart  part = "in progress" // state at one moment
)

// partNames maps words in headings to parts. The first match counts.
var partNames = []struct {
	word string
	part part
}{
	{"additional focus", focusPart}, {"original request", goalPart}, {"goal", goalPart}, {"objective", goalPart},
	{"constraint", wishPart}, {"preference", wishPart}, {"in progress", momentPart}, {"blocked", momentPart},
	{"decision", choicePart}, {"next step", nextPart}, {"critical context", contextPart}, {"context needed", contextPart},
	{"progress so far", donePart}, {"done", donePart}, {"completed", donePart},
}

func partOf(heading string) part {
	h := strings.ToLower(strings.Trim(heading, "*: "))
	for _, known := range partNames {
		if strings.Contains(h, string(known.word)) {
			return known.part
		}
	}
	if h == "progress" {
		return momentPart // it contains only other headings
	}
	return ""
}

// A section is a section of a summary other than the known parts.
type section struct {
	title string
	lines []string
}

// maxItem is the maximum length of an item in bytes, including its continuation
// lines.
const maxItem = 4000

// fileLists matches file lists, which each summary regenerates.
var fileLists = regexp.MustCompile(`(?s)<(?:read|modified)-files>.*?(?:</(?:read|modified)-files>|$)`)

// seams are lines without content between the two halves of a split turn.
var seams = []string{"**Turn Context (split turn):**", "---", "No prior history."}

// parseEarlier parses a summary; it returns nil for an empty one.
func parseEarlier(text string) *earlier {
	text = strings.TrimSpace(fileLists.ReplaceAllLiteralString(valid(text), ""))
	if text == "" {
		return nil
	}
	e := &earlier{parts: map[part][]string{}}
	var at part
	title, inCode := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inCode = !inCode
		}
		if !inCode && slices.Contains(seams, line) {
			continue
		}
		if !inCode && strings.HasPrefix(line, "#") {
			heading := strings.TrimSpace(strings.TrimLeft(line, "#"))
			// Within a custom section, smaller headings belong to it.
			if p := partOf(heading); p != "" || at != "" || title == "" || strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "# ") {
				at, title = p, heading
				continue
			}
		}
		if at == "" {
			e.other(title, line)
		} else if bare := strings.TrimSpace(line); bare != "" && strings.Trim(bare, "-* ") != "(none)" {
			e.item(at, line, bare)
		}
	}
	return e
}

// other adds a line to a custom section.
func (e *earlier) other(title, line string) {
	if n := len(e.more); n == 0 || e.more[n-1].title != title {
		if line == "" {
			return
		}
		e.more = append(e.more, section{title: title})
	}
	s := &e.more[len(e.more)-1]
	s.lines = append(s.lines, line)
}

// item adds a line to a part. A line that is indented or has no list mark
// continues the item before it.
func (e *earlier) item(at part, line, bare string) {
	var n int
	if _, err := fmt.Sscanf(strings.TrimPrefix(bare, "- [x] "), leftFormat, &n); err == nil {
		e.left += n
		return
	}
	items := e.parts[at]
	text, marked := unmarked(bare)
	if len(items) > 0 && (line != bare || !marked && at != goalPart) {
		if last := &items[len(items)-1]; len(*last) < maxItem {
			*last += " " + strings.TrimLeft(bare, "- ")
		}
		return
	}
	e.parts[at] = append(items, text)
}

// leftFormat reports how many steps a summary omits.
const leftFormat = "(%d smaller steps left out)"

// items returns the items of a part. It is valid on a nil receiver.
func (e *earlier) items(p part) []string {
	if e == nil {
		return nil
	}
	return e.parts[p]
}

// branchText returns the summary of a branch without its introduction and file
// lists.
func branchText(summary string) string {
	if _, text, ok := strings.Cut(summary, "Summary of that exploration:"); ok {
		summary = text
	}
	return fileLists.ReplaceAllLiteralString(summary, "")
}
