package show

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/inspect"
)

// A markdownSheet writes turns as Markdown. Messages are written as they
// are, below headings of the third level. All other text is in fences that it
// cannot close.
type markdownSheet struct {
	bytes.Buffer
	brief bool
	entry inspect.Text
	runs  runTeller // nil omits subagents
}

// turn writes a turn under its own heading. gap replaces the omitted
// part after the user message; "" means that nothing is omitted.
func (m *markdownSheet) turn(x *inspect.Turn, gap string) {
	m.entry = ""
	fmt.Fprintf(m, "## %s\n\n", markdownTitle(x))
	tellGap := func() {
		if gap != "" {
			fmt.Fprintf(m, "*%s*\n\n", layout.EscapeMarkdown(gap))
		}
		gap = ""
	}
	for i := range x.Items {
		if x.Items[i].Kind != inspect.User {
			tellGap()
		}
		m.item(&x.Items[i], i == 0)
	}
	tellGap()
}

// markdownTitle returns the heading of a turn.
func markdownTitle(x *inspect.Turn) string {
	name := turnName(x.Number)
	return strings.ToUpper(name[:1]) + name[1:]
}

func (m *markdownSheet) item(it *inspect.Item, first bool) {
	if it.Kind == inspect.Jump {
		fmt.Fprintf(m, "---\n\n*from %s*\n\n", layout.EscapeMarkdown(cmp.Or(string(it.Target), "the start")))
		m.entry = ""
		return
	}
	if first || m.entry != it.EntryID {
		m.begin(it)
	}
	m.entry = it.EntryID
	switch it.Kind {
	case inspect.Thinking:
		m.thinking(it)
	case inspect.ToolUse:
		m.tool(it)
	case inspect.Failure:
		fmt.Fprintf(m, "**Failed:** %s\n\n", layout.EscapeMarkdown(string(it.Text)))
	case inspect.Shell:
		m.fence("sh", "$ "+string(it.Bash.Command))
		m.quiet(string(it.Text), it.LeftOut)
	case inspect.System, inspect.State, inspect.Spending, inspect.Other:
		m.quiet(string(it.Text), it.LeftOut)
	default:
		if it.Image != nil {
			fmt.Fprintf(m, "*[%s]*\n\n", layout.EscapeMarkdown(describeImage(it.Image)))
			return
		}
		m.speech(string(it.Text))
		m.leftOut(it.LeftOut)
	}
}

func (m *markdownSheet) begin(it *inspect.Item) {
	_, what, about := headingOf(it)
	facts := layout.NonEmpty(layout.EscapeMarkdown(about), layout.EscapeMarkdown(humanize.Moment(it.Time.Time)))
	if it.EntryID != "" {
		facts = append(facts, layout.Code(string(it.EntryID)))
	}
	if it.Label != "" {
		facts = append(facts, "**"+layout.EscapeMarkdown(string(it.Label))+"**")
	}
	fmt.Fprintf(m, "### %s\n\n", layout.EscapeMarkdown(what))
	if len(facts) > 0 {
		fmt.Fprintf(m, "%s\n\n", strings.Join(facts, " · "))
	}
}

// speech writes a message. It may contain Markdown; its headings outside of
// fences are lowered below ours.
func (m *markdownSheet) speech(text string) {
	text = strings.Trim(termsafe.Text(text), "\n")
	if text == "" {
		return
	}
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		mark := fenceMark(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark:
			fence = ""
		case fence == "" && isHeading(line):
			line = "###" + line
		}
		m.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if fence != "" {
		m.WriteString(fence + "\n")
	}
	m.WriteString("\n")
}

// isHeading reports whether a line is a Markdown heading: up to six marks and a
// space.
func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n > 0 && n <= 6 && (rest == "" || rest[0] == ' ')
}

// fenceMark returns the run of backticks or tildes at the start of a line if it
// can be a fence.
func fenceMark(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(line, c); len(line)-len(rest) >= 3 {
			return line[:len(line)-len(rest)]
		}
	}
	return ""
}

func (m *markdownSheet) thinking(it *inspect.Item) {
	if it.Hidden || strings.TrimSpace(string(it.Text)) == "" {
		return
	}
	m.WriteString("<details><summary>thinking</summary>\n\n")
	m.quiet(string(it.Text), it.LeftOut)
	m.WriteString("</details>\n\n")
}

func (m *markdownSheet) tool(it *inspect.Item) {
	if !it.Tool.Orphan {
		fmt.Fprintf(m, "Tool %s\n\n", layout.Code(string(it.Name)))
		if len(it.Tool.Arguments) > 0 {
			m.fence("json", m.shorten(string(it.Tool.Arguments)))
		}
	}
	r := it.Tool.Result
	if r == nil {
		m.WriteString("*no result*\n\n")
		return
	}
	word := "Result"
	if r.IsError {
		word = "**Error**"
	}
	fmt.Fprintf(m, "%s %s\n\n", word, layout.Code(string(r.EntryID)))
	m.quiet(string(r.Text), r.LeftOut)
	for i := range r.Images {
		fmt.Fprintf(m, "*[%s]*\n\n", layout.EscapeMarkdown(describeImage(&r.Images[i])))
	}
	if m.runs != nil {
		if lines := m.runs(it); len(lines) > 0 {
			m.fence("", strings.Join(lines, "\n"))
		}
	}
}

// quiet writes text that is not part of the conversation itself, in a fence.
func (m *markdownSheet) quiet(text string, left *inspect.Cut) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if !m.brief {
		m.fence("", text)
		m.leftOut(left)
		return
	}
	lines := strings.SplitN(strings.TrimRight(text, "\n"), "\n", layout.ResultLines+1)
	if len(lines) > layout.ResultLines {
		more := strings.Count(lines[layout.ResultLines], "\n") + 1 + linesOf(left)
		lines = append(lines[:layout.ResultLines], "… "+humanize.Count(more, "more line"))
	}
	for i := range lines {
		lines[i] = m.shorten(lines[i])
	}
	m.fence("", strings.Join(lines, "\n"))
}

// shorten cuts a line in brief output.
func (m *markdownSheet) shorten(s string) string {
	if m.brief {
		return termsafe.Fit(s, layout.LongestLine)
	}
	return s
}

func (m *markdownSheet) leftOut(left *inspect.Cut) {
	if left != nil {
		fmt.Fprintf(m, "*… %s; --max-chars 0 shows all*\n\n", humanize.Count(left.Characters, "more character"))
	}
}

// fence writes text between fences that are longer than any in the text.
func (m *markdownSheet) fence(language, text string) {
	text = strings.Trim(termsafe.Text(text), "\n")
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	fmt.Fprintf(m, "%s%s\n%s\n%s\n\n", mark, language, text, mark)
}
