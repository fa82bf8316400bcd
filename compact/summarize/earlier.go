package summarize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/internal/lazyregexp"
)

// An earlier summary, taken apart so that it can be merged with what came after
// it. It may have been written by a model, by a person or here.
type earlier struct {
	parts map[part][]string
	more  []section // under other names, whole
	left  int       // steps that it says were left out
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
	momentPart  part = "in progress" // what was true of a moment
)

// partNames are words of headings, and the parts that they begin. The first that
// is found counts.
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
		return momentPart // nothing stands below it but other headings
	}
	return ""
}

// A section is one that a summary has beside those parts.
type section struct {
	title string
	lines []string
}

// maxItem is how long one item gets, in bytes, when lines that go on with it are
// added.
const maxItem = 4000

// fileLists are made anew with each summary.
var fileLists = lazyregexp.New(`(?s)<(?:read|modified)-files>.*?(?:</(?:read|modified)-files>|$)`)

// seams are lines between the two halves of a split turn, which say nothing.
var seams = []string{"**Turn Context (split turn):**", "---", "No prior history."}

// parseEarlier takes a summary apart; nil for none.
func parseEarlier(text string) *earlier {
	text = strings.TrimSpace(fileLists().ReplaceAllLiteralString(valid(text), ""))
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
			// Below a section of its own kind, smaller headings belong to it.
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

// other takes a line of a section with a name of its own.
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

// item takes a line of a part. One that is indented, or follows without a mark,
// goes on with the item before it.
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

// leftFormat says how many steps a summary does not tell.
const leftFormat = "(%d smaller steps left out)"

// items are those of a part; none of no summary.
func (e *earlier) items(p part) []string {
	if e == nil {
		return nil
	}
	return e.parts[p]
}

// branchText is the summary of a branch without the words and lists around it.
func branchText(summary string) string {
	if _, text, ok := strings.Cut(summary, "Summary of that exploration:"); ok {
		summary = text
	}
	return fileLists().ReplaceAllLiteralString(summary, "")
}
