package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/page"
)

// mostComment is the maximum size of a comment in bytes. GitHub accepts 65,536
// characters.
const mostComment = 60_000

// mostProse is the maximum number of characters of one message in a comment.
const mostProse = 12_000

// comment writes the path as short Markdown for a pull request: messages as
// written, and the tool calls between two of them in one collapsed section. It
// shortens tool output until the comment fits, and then leaves out the last
// messages.
func (p *Plan) comment(ctx context.Context, w io.Writer) (Report, error) {
	for _, output := range []int{2000, 400, 0} {
		c := &commentWriter{Plan: p, output: output, callAt: map[string]int{}}
		fits, err := c.write(ctx)
		if err != nil {
			return Report{}, err
		}
		if fits || output == 0 {
			_, err := io.WriteString(w, c.text.String())
			return c.report, err
		}
	}
	return Report{}, nil
}

// commentWriter writes a comment once.
type commentWriter struct {
	*Plan
	output int // maximum number of characters of a tool's output; 0 for no output
	text   strings.Builder
	calls  []toolUse      // since the last message
	callAt map[string]int // call id to its index in calls
	left   int            // messages that did not fit
	report Report
}

// toolUse is a tool call with its output.
type toolUse struct{ name, argument, output string }

// write writes the comment and reports whether all of it fits.
func (c *commentWriter) write(ctx context.Context) (fits bool, err error) {
	c.text.WriteString("### " + strings.ReplaceAll(plainLine(cmp.Or(c.title, "Session "+c.id)), "@", "@"+wordJoiner) + "\n\n")
	if len(c.turns) > 0 {
		c.text.WriteString(c.turnsNote() + "\n\n")
	}
	for e, err := range page.Entries(ctx, c.reader().LinesAt(c.path), c.line) {
		if err != nil {
			return false, err
		}
		c.entry(e)
		if c.left > 0 && c.output > 0 {
			return false, nil // another attempt with less output follows
		}
	}
	c.flush()
	if c.left > 0 {
		fmt.Fprintf(&c.text, "*%s left out: a comment is limited to %s.*\n", page.Count(int64(c.left), "message"), page.Count(mostComment, "byte"))
	}
	c.report.Entries = c.count(c.path)
	return c.left == 0, nil
}

func (c *commentWriter) entry(e format.Entry) {
	switch e := e.(type) {
	case *format.MessageEntry:
		c.message(e.Message)
	case *format.CustomMessage:
		c.content("Extension", e.Content)
	case *format.Compaction:
		c.prose("Compaction", e.Summary)
	case *format.BranchSummary:
		c.prose("Branch summary", e.Summary)
	}
}

func (c *commentWriter) message(m format.Message) {
	if c.PromptsOnly && m.Role() != format.RoleUser {
		return
	}
	switch m := m.(type) {
	case *format.User:
		c.content("You", m.Content)
	case *format.Assistant:
		c.content("Assistant", m.Content)
		if m.ErrorMessage != "" {
			c.prose("Assistant", "**"+plainLine(m.StopReason+": "+m.ErrorMessage)+"**")
		}
	case *format.ToolResult:
		c.result(m)
	case *format.BashExecution:
		c.calls = append(c.calls, toolUse{"!", m.Command, page.PlainOutput(m.Output)})
	case *format.CustomRole:
		c.content("Extension", m.Content)
	case *format.UnknownMessage:
		c.content("Extension", m.Content)
	}
}

func (c *commentWriter) content(who string, content format.Content) {
	if content.IsText {
		c.prose(who, content.Text)
		return
	}
	for _, b := range content.Blocks {
		switch b := b.(type) {
		case *format.TextBlock:
			c.prose(who, b.Text)
		case *format.ToolCallBlock:
			if !c.NoTools {
				c.callAt[b.ID] = len(c.calls)
				c.calls = append(c.calls, toolUse{name: b.Name, argument: page.Argument(b)})
			}
		case *format.ImageBlock:
			c.report.Pictures++
			c.prose(who, "*(image not included)*")
		}
	}
}

// result adds a tool result to its call.
func (c *commentWriter) result(m *format.ToolResult) {
	if c.NoTools {
		return
	}
	at, ok := c.callAt[m.ToolCallID]
	if !ok || at >= len(c.calls) {
		at = len(c.calls)
		c.calls = append(c.calls, toolUse{name: m.ToolName})
	}
	c.calls[at].output = page.PlainOutput(m.Content.Joined())
	if m.IsError {
		c.calls[at].name += " (failed)"
	}
}

// prose writes a message after the tool calls before it.
func (c *commentWriter) prose(who, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	c.flush()
	text, more := shortened(text, mostProse)
	text = forComment.harmless(page.Shown(text))
	if more > 0 {
		text += "\n\n*" + page.Count(int64(more), "more character") + "*"
	}
	c.block("**" + who + "**\n\n" + text + "\n\n")
}

// flush writes the collected tool calls as one collapsed section.
func (c *commentWriter) flush() {
	if len(c.calls) == 0 {
		return
	}
	var b strings.Builder
	b.WriteString("<details><summary>" + page.Count(int64(len(c.calls)), "tool call") + "</summary>\n\n")
	for _, use := range c.calls {
		text := strings.TrimRight(use.output, "\n")
		if c.output == 0 {
			text = ""
		}
		text, more := shortened(text, c.output)
		if more > 0 {
			text += "\n… " + page.Count(int64(more), "more character")
		}
		b.WriteString(inCode(use.name + " " + page.OneLine(use.argument, 120)))
		if text != "" {
			b.WriteString("\n" + fenced(page.Shown(text)))
		}
		b.WriteString("\n")
		if c.output == 0 {
			b.WriteString("\n")
		}
	}
	b.WriteString("</details>\n\n")
	c.calls = c.calls[:0]
	clear(c.callAt)
	c.block(b.String())
}

// block writes a part of the comment, unless it does not fit any more. Nothing
// is written after the first part that does not fit.
func (c *commentWriter) block(text string) {
	const note = 200 // room for the note at the end
	if c.left > 0 || c.text.Len()+len(text) > mostComment-note {
		c.left++
		return
	}
	c.text.WriteString(text)
}

// shortened returns the first characters of a text, and the number of
// characters after them.
func shortened(text string, most int) (start string, more int) {
	if len(text) <= most {
		return text, 0
	}
	n := 0
	cut := len(text)
	for i := range text {
		if n == most {
			cut = i
		}
		n++
	}
	if n <= most {
		return text, 0
	}
	return text[:cut], n - most
}
