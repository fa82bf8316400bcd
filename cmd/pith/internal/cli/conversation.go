package cli

import (
	"fmt"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/format"
)

// A conversation prints the messages of a context for reading. What people and
// the model said is printed in full; thinking and the output of tools are
// shortened.
type conversation struct{ sheet }

func (a *app) conversation() *conversation {
	return &conversation{sheet{out: a.out, colors: a.colors, width: a.width()}}
}

// message prints a message. head is nil for one that has no entry of its own.
func (c *conversation) message(m format.Message, head *format.Base) {
	switch m := m.(type) {
	case *format.User:
		c.begin(toneUser, "user", "", head)
		c.content(m.Content)
	case *format.Assistant:
		c.begin(toneAssistant, "assistant", oneLine(m.Model), head)
		c.content(m.Content)
		c.ending(m)
	case *format.ToolResult:
		c.toolResult(m, head)
	case *format.BashExecution:
		c.bash(m, head)
	case *format.CustomRole:
		c.begin(toneNote, oneLine(m.CustomType), "", head)
		c.content(m.Content)
	case *format.System:
		c.begin(toneDim, "system", "", head)
		c.shortened(toneDim, "", m.Content.Joined(), resultLines)
	case *format.BranchSummaryMessage:
		c.begin(toneWarning, "branch summary", "", head)
		c.text(m.Summary)
	case *format.CompactionSummaryMessage:
		c.begin(toneNote, "compaction summary", "", head)
		c.text(m.Summary)
	case *format.UnknownMessage:
		role := string(m.RoleName)
		if role == "" {
			role = "message without a role"
		}
		c.begin(toneDim, oneLine(role), "", head)
		c.content(m.Content)
	}
}

// begin prints the heading of a message: what it is, and the entry's id and time.
func (c *conversation) begin(t tone, what, about string, head *format.Base) {
	var facts []string
	if about != "" {
		facts = append(facts, about)
	}
	if head != nil {
		facts = append(facts, oneLine(head.ID))
		if at, ok := head.Time(); ok {
			facts = append(facts, humanize.Moment(at))
		}
	}
	c.heading(t, what, facts, "")
}

// ending tells how an answer ended if not as it should.
func (c *conversation) ending(m *format.Assistant) {
	switch {
	case m.ErrorMessage != "":
		c.line(toneError, "! "+oneLine(m.ErrorMessage))
	case m.StopReason == "aborted":
		c.line(toneError, "! aborted")
	case m.StopReason == "length":
		c.line(toneError, "! cut off: the answer was too long")
	case m.StopReason == "error":
		c.line(toneError, "! failed")
	}
}

func (c *conversation) toolResult(m *format.ToolResult, head *format.Base) {
	what, t := oneLine(m.ToolName), toneDim
	if what == "" {
		what = "tool"
	}
	about := "result"
	if m.IsError {
		about, t = "error", toneError
	}
	c.begin(t, what, about, head)
	for _, b := range blocksOf(m.Content) {
		if text, ok := b.(*format.TextBlock); ok {
			c.shortened(toneDim, "", text.Text, resultLines)
			continue
		}
		c.block(b)
	}
}

func (c *conversation) bash(m *format.BashExecution, head *format.Base) {
	about := "by the user"
	if m.ExcludeFromContext {
		about += ", not for the model"
	}
	switch {
	case m.Cancelled:
		about += ", cancelled"
	case m.ExitCode != nil && *m.ExitCode != 0:
		about += fmt.Sprintf(", exit code %d", *m.ExitCode)
	}
	c.begin(toneNote, "bash", about, head)
	c.text("$ " + m.Command)
	c.shortened(toneDim, "", m.Output, resultLines)
}
