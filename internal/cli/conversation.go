package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/plain"
)

// A conversation prints entries for reading. What people and the model said is
// printed in full; thinking and the output of tools are shortened. All text is
// set in by two spaces, so that no text can pass for a heading.
type conversation struct {
	out     *output
	colors  palette
	width   int // 0 means any
	label   func(id string) string
	started bool

	// jumps says that entries need not follow one another. Then it is told which
	// one an entry follows if that is not the one printed before it.
	jumps   bool
	printed string            // id of the entry printed last
	skipped map[string]string // id of an entry that is not printed to the one it follows
}

func (a *app) conversation(label func(id string) string) *conversation {
	return &conversation{out: a.out, colors: a.colors, width: a.width(), label: label}
}

// entry prints one entry. Bookkeeping is not printed.
func (c *conversation) entry(e format.Entry) {
	if c.jumps && !c.follow(e) {
		return
	}
	switch e := e.(type) {
	case *format.MessageEntry:
		c.message(e.Message, e.Head())
	case *format.CustomMessage:
		about := "for the model and the user"
		if !e.Display {
			about = "for the model"
		}
		c.heading(toneNote, oneLine(e.CustomType), about, e.Head())
		c.content(e.Content)
	case *format.Compaction:
		c.heading(toneNote, "compaction", fmt.Sprintf("of %s tokens, keeps from %s on", grouped(e.TokensBefore), oneLine(e.FirstKeptEntryID)), e.Head())
		c.text(e.Summary)
	case *format.BranchSummary:
		c.heading(toneWarning, "branch summary", "left at "+oneLine(e.FromID), e.Head())
		c.text(e.Summary)
	case *format.ModelChange:
		c.heading(toneDim, "model", oneLine(e.Provider+"/"+e.ModelID), e.Head())
	case *format.ThinkingLevelChange:
		c.heading(toneDim, "thinking", oneLine(e.Level), e.Head())
	case *format.ContextEdit:
		c.contextEdit(e)
	case *format.UnknownEntry:
		c.heading(toneDim, oneLine(string(e.Type)), "", e.Head())
	}
}

// follow reports whether an entry is printed, and says where it comes from if
// it does not follow what was printed before it.
func (c *conversation) follow(e format.Entry) bool {
	head := e.Head()
	parent := head.ParentID
	if over, ok := c.skipped[parent]; ok {
		parent = over
	}
	switch e.(type) {
	case *format.Label, *format.SessionInfo, *format.Custom, *format.UsageEntry:
		if c.skipped == nil {
			c.skipped = map[string]string{}
		}
		c.skipped[head.ID] = parent
		return false
	}
	if parent != c.printed {
		where := "from the beginning"
		if parent != "" {
			where = "from " + oneLine(parent)
		}
		c.out.print("\n" + c.colors.paint(toneWarning, "══ "+where) + "\n")
	}
	c.printed = head.ID
	return true
}

func (c *conversation) contextEdit(e *format.ContextEdit) {
	if e.Replacement == nil {
		c.heading(toneDim, "context edit", "hides "+oneLine(e.TargetID)+" from the model", e.Head())
		return
	}
	c.heading(toneDim, "context edit", "replaces "+oneLine(e.TargetID)+" for the model", e.Head())
	c.content(*e.Replacement)
}

// message prints a message. head is nil for one that has no entry of its own.
func (c *conversation) message(m format.Message, head *format.Base) {
	switch m := m.(type) {
	case *format.User:
		c.heading(toneUser, "user", "", head)
		c.content(m.Content)
	case *format.Assistant:
		c.heading(toneAssistant, "assistant", oneLine(m.Model), head)
		c.content(m.Content)
		c.ending(m)
	case *format.ToolResult:
		c.toolResult(m, head)
	case *format.BashExecution:
		c.bash(m, head)
	case *format.CustomRole:
		c.heading(toneNote, oneLine(m.CustomType), "", head)
		c.content(m.Content)
	case *format.System:
		c.heading(toneDim, "system", "", head)
		c.shortened(toneDim, "", textOf(m.Content), resultLines)
	case *format.BranchSummaryMessage:
		c.heading(toneWarning, "branch summary", "", head)
		c.text(m.Summary)
	case *format.CompactionSummaryMessage:
		c.heading(toneNote, "compaction summary", "", head)
		c.text(m.Summary)
	case *format.UnknownMessage:
		role := string(m.RoleName)
		if role == "" {
			role = "message without a role"
		}
		c.heading(toneDim, oneLine(role), "", head)
		c.content(m.Content)
	}
}

// heading begins an entry: what it is, then id, time and label.
func (c *conversation) heading(t tone, what, about string, head *format.Base) {
	if c.started {
		c.out.print("\n")
	}
	c.started = true
	var facts []string
	if about != "" {
		facts = append(facts, about)
	}
	label := ""
	if head != nil {
		facts = append(facts, oneLine(head.ID))
		if at, ok := head.Time(); ok {
			facts = append(facts, at.Local().Format(time.DateTime))
		}
		if text := c.label(head.ID); text != "" {
			label = " [" + oneLine(text) + "]"
		}
	}
	line, rest := "── "+what, ""
	if len(facts) > 0 {
		rest = " · " + strings.Join(facts, " · ")
	}
	if c.width > 0 {
		line = plain.Fit(line, c.width)
		rest = plain.Fit(rest, c.width-plain.Width(line))
		label = plain.Fit(label, c.width-plain.Width(line)-plain.Width(rest))
	}
	c.out.print(c.colors.paint(t, line) + c.colors.dim(rest) + c.colors.paint(toneWarning, label) + "\n")
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
	c.heading(t, what, about, head)
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
	c.heading(toneNote, "bash", about, head)
	c.text("$ " + m.Command)
	c.shortened(toneDim, "", m.Output, resultLines)
}
