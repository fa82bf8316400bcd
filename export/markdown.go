package export

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/internal/toolcall"
)

// markdown writes the path, or all branches one after another, as Markdown for
// GitHub: messages as written, tools collapsed.
func (p *Plan) markdown(ctx context.Context, w io.Writer) (Report, error) {
	m := &markdownWriter{Plan: p, Writer: bufio.NewWriterSize(w, 64<<10)}
	m.line("# " + plainLine(cmp.Or(p.title, "Session "+p.id)))
	m.line("")
	if p.cwd != "" {
		m.line("Project " + inCode(p.cwd) + ", " + page.Count(int64(len(p.wanted)), "entry"))
	}
	for _, note := range p.notices() {
		m.line("\n> " + note)
	}
	branches := [][]int{p.path}
	if p.AllBranches {
		branches = p.branches()
	}
	reader := p.view.Reader()
	for n, path := range branches {
		if n > 0 {
			m.line("\n---\n\n# Abandoned branch")
		}
		k := 0
		for e, err := range page.Entries(ctx, reader.LinesAt(path), p.line) {
			if err != nil {
				return m.report, err
			}
			m.entry(e, p.label(p.view.At(path[k]).ID))
			k++
		}
		m.report.Entries += p.count(path)
	}
	return m.report, m.Flush()
}

// label returns the redacted label of an entry. Selected turns have none, since
// other turns set them.
func (p *Plan) label(id string) string {
	if len(p.turns) > 0 {
		return ""
	}
	return p.name(p.view.Label(id))
}

// count returns the number of entries that are written.
func (p *Plan) count(entries []int) (n int) {
	for _, i := range entries {
		role := p.view.At(i).Role
		if p.Only == Everything || p.Only == Talk && role != format.RoleToolResult || role == format.RoleUser {
			n++
		}
	}
	return n
}

// branches returns the active path and then every other branch, each from where
// it diverges from the previous ones.
func (p *Plan) branches() [][]int {
	written := make([]bool, p.view.Len())
	for _, i := range p.path {
		written[i] = true
	}
	out := [][]int{p.path}
	for i := p.view.Len() - 1; i >= 0; i-- {
		var branch []int
		for k := i; !written[k]; {
			written[k] = true
			branch = append(branch, k)
			parent, err := p.view.Find(p.view.At(k).ParentID)
			if err != nil {
				break
			}
			k = parent
		}
		if len(branch) > 0 {
			slices.Reverse(branch)
			out = append(out, branch)
		}
	}
	return out
}

type markdownWriter struct {
	*Plan
	*bufio.Writer
	report Report
}

func (m *markdownWriter) line(text string) { m.WriteString(text + "\n") }

func (m *markdownWriter) heading(who string, e format.Entry, label string) {
	text := "\n## " + who
	if at, ok := e.Head().Time(); ok {
		text += " · " + at.UTC().Format(time.DateTime)
	}
	if label != "" {
		text += " · " + inCode(label)
	}
	m.line(text + "\n")
}

func (m *markdownWriter) entry(e format.Entry, label string) {
	items := inspect.Items(e)
	if len(items) == 0 || m.Only == Prompts && items[0].Kind != inspect.User {
		return
	}
	msg, _ := e.(*format.MessageEntry)
	unknown := false // a message of a role that pith does not know
	if msg != nil {
		_, unknown = msg.Message.(*format.UnknownMessage)
	}
	headed := false
	for i := range items {
		it := &items[i]
		heading, shown := m.shows(it, unknown)
		if !shown {
			continue
		}
		if heading != "" && !headed {
			m.heading(heading, e, label)
			headed = true
		}
		m.item(it)
	}
}

// shows reports whether an item is written, and the heading of its entry, which
// a tool result has none of.
func (m *markdownWriter) shows(it *inspect.Item, unknown bool) (heading string, shown bool) {
	talk := m.Only == Talk
	switch it.Kind {
	case inspect.User:
		return "You", true
	case inspect.Response:
		return "Assistant", !talk || strings.TrimSpace(string(it.Text)) != ""
	case inspect.Failure:
		return "Assistant", true
	case inspect.Thinking:
		return "Assistant", !talk && it.Text != ""
	case inspect.ToolUse:
		if it.Tool.Orphan {
			return "", !talk
		}
		return "Assistant", !talk
	case inspect.Shell:
		return "You ran", true
	case inspect.Custom:
		return "Extension " + inCode(string(it.Name)), true
	case inspect.Compaction:
		return "Compaction", true
	case inspect.BranchSummary:
		return "Abandoned branch", true
	case inspect.Other:
		return plainLine(string(it.Name)), unknown
	}
	return "", false
}

func (m *markdownWriter) item(it *inspect.Item) {
	switch it.Kind {
	case inspect.Thinking:
		m.folded("Thinking", string(it.Text))
	case inspect.Failure:
		why := string(it.Text)
		if it.Name != it.Text {
			why = string(it.Name) + ": " + why
		}
		m.line("**" + plainLine(why) + "**")
	case inspect.Shell:
		command := string(it.Bash.Command)
		m.folded(inTag("$ "+page.OneLine(command, 120)), "$ "+command+"\n"+page.PlainOutput(string(it.Text)))
	case inspect.Compaction:
		m.summary("Summary of the earlier conversation", string(it.Text))
	case inspect.BranchSummary:
		m.summary("Summary of the branch", string(it.Text))
	case inspect.ToolUse:
		m.tool(string(it.Name), it.Tool)
	default:
		if it.Image != nil {
			m.picture()
		}
		m.writeText(string(it.Text))
	}
}

// tool writes a call, or a result.
func (m *markdownWriter) tool(name string, tool *inspect.Tool) {
	if r := tool.Result; r != nil {
		outcome := "result"
		if r.IsError {
			outcome = "failed"
		}
		m.folded(inTag(name+": "+outcome), page.PlainOutput(string(r.Text)))
		for range r.Images {
			m.picture()
		}
		return
	}
	about := toolcall.Line(name, tool.Arguments, func(path string) string { return path })
	m.folded(inTag(name+" "+page.OneLine(about, 120)), toolcall.Text(tool.Arguments))
}

// picture notes an image.
func (m *markdownWriter) picture() {
	m.report.Pictures++
	m.line("*(image not included)*\n")
}

// summary writes collapsed Markdown text.
func (m *markdownWriter) summary(title, text string) {
	m.line("<details><summary>" + title + "</summary>\n")
	m.writeText(text)
	m.line("</details>\n")
}

// writeText writes Markdown text from the session so that it cannot close a
// collapsed section or load anything.
func (m *markdownWriter) writeText(text string) {
	if strings.TrimSpace(text) != "" {
		m.line(harmless(page.Shown(text)) + "\n")
	}
}

// folded writes text that is not prose between fences that it cannot close.
func (m *markdownWriter) folded(summary, text string) {
	m.line("<details><summary>" + summary + "</summary>\n\n" + fenced(strings.TrimRight(page.Shown(text), "\n")) + "\n</details>\n")
}

// fenced returns a text between fences that it cannot close.
func fenced(text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + "\n" + text + "\n" + fence + "\n"
}

func longestRun(text string, c byte) (longest int) {
	run := 0
	for i := range len(text) {
		if text[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// inCode returns a text as a code span, whatever backticks it contains.
func inCode(text string) string {
	text = page.Shown(page.OneLine(text, 200))
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// inTag returns a text for use between HTML tags.
func inTag(text string) string { return page.Escaped(page.OneLine(text, 160)) }

// plainLine returns a text on one line with all markup escaped.
func plainLine(text string) string {
	var b strings.Builder
	for _, r := range page.Shown(page.OneLine(text, 200)) {
		if strings.ContainsRune("\\`*_{}[]<>#|!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// harmless returns Markdown in which HTML is escaped and images are links. Code
// is unchanged, because it is inert. If the result is not inert, because
// something only looks like code, code is escaped too.
func harmless(text string) string {
	text = outsideFences(text)
	if !page.Inert(text) {
		text = everywhere.Replace(text)
	}
	return text
}

var everywhere = strings.NewReplacer("<", "&lt;", "![", "&#33;[")

// outsideFences escapes HTML and images outside of fences, and closes an
// unterminated fence.
func outsideFences(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
			b.WriteString(line)
		case fence != "":
			if mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && strings.TrimSpace(line) == mark {
				fence = ""
			}
			b.WriteString(line)
		default:
			outsideCode(&b, line)
		}
	}
	if fence != "" { // unterminated, which would swallow the following text
		b.WriteString("\n" + fence)
	}
	return b.String()
}

func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

func outsideCode(b *strings.Builder, line string) {
	code := 0 // number of backticks that opened a code span
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '`':
			n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			switch code {
			case 0:
				if strings.Contains(line[i+n:], line[i:i+n]) {
					code = n
				}
			case n:
				code = 0
			}
			b.WriteString(line[i : i+n])
			i += n - 1
		case c == '<' && code == 0:
			b.WriteString("&lt;")
		case c == '!' && code == 0 && strings.HasPrefix(line[i:], "!["):
		default:
			b.WriteByte(c)
		}
	}
}
