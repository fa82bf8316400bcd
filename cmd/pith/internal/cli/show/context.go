package show

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/access"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/record"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// content prints what a message holds.
func (c *conversation) content(content format.Content) {
	for _, b := range blocksOf(content) {
		c.block(b)
	}
}

// blocksOf is content as blocks, whatever form it has.
func blocksOf(content format.Content) []format.Block {
	if content.IsText {
		return []format.Block{&format.TextBlock{Text: content.Text}}
	}
	return content.Blocks
}

func (c *conversation) block(b format.Block) {
	switch b := b.(type) {
	case *format.TextBlock:
		c.Text(b.Text)
	case *format.ThinkingBlock:
		if b.Redacted {
			c.Line(tone.Dim, "(thinking, encrypted)")
			return
		}
		c.Shortened(tone.Dim, "thinking: ", b.Thinking, layout.ThinkingLines)
	case *format.ImageBlock:
		c.Line(tone.Note, "["+describeImage(inspect.ImageOf(b))+"]")
	case *format.ToolCallBlock:
		c.Line(tone.None, "→ "+layout.OneLine(b.Name)+" "+termsafe.Fit(string(b.Arguments), layout.LongestLine))
	case *format.UnknownBlock:
		c.Line(tone.Dim, fmt.Sprintf("[%s, %s]", layout.OneLine(cmp.Or(b.Type, "unknown block")), humanize.Bytes(int64(len(b.Raw)))))
	}
}

type contextFlags struct {
	at                      string
	valid, modelRoles, json bool
}

func (a *Commands) Context() *cobra.Command {
	var f contextFlags
	cmd := &cobra.Command{
		Use:   "context SESSION",
		Short: "Show what the model sees of a session",
		Long: `Show the messages that a model gets, from the entry at which the session stands:
after the latest compaction, with edits and summaries in place.

--valid makes the context acceptable to any provider: every tool call has its
result behind it, failed answers are gone, the text can be sent. Each change is
told on standard error, or in the JSON. The session itself does not change.
--model-roles translates shell commands, messages of extensions and summaries to
messages of the user, as models know them.`,
		Example: `  pith context @
  pith context @ --at root-cause
  pith context 0199a --valid --model-roles --json > context.json`,
		Args:              flags.Takes(1, 1, 1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.context(cmd.Context(), args[0], f) },
	}
	cmd.Flags().StringVar(&f.at, "at", "", "show the context at `ENTRY` instead of the leaf")
	cmd.Flags().BoolVar(&f.valid, "valid", false, "repair what a provider would refuse, and tell the changes")
	cmd.Flags().BoolVar(&f.modelRoles, "model-roles", false, "use only the roles that models know")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object: messages, thinkingLevel, model")
	a.CompleteEntryFlag(cmd, "at")
	return cmd
}

func (a *Commands) context(ctx context.Context, ref string, f contextFlags) (err error) {
	s, err := a.OpenForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer access.Close(s, &err)
	at, err := access.AtFlag(s, f.at, f.at != "")
	if err != nil {
		return err
	}
	c, err := s.ContextAt(at)
	if err != nil {
		return err
	}
	messages, changes := c.Messages(), []pith.Change(nil)
	if f.valid {
		repaired, told, err := c.Repaired()
		if err != nil {
			return err
		}
		messages, changes = eachOf(repaired), told
	}
	if f.modelRoles {
		messages = forModel(messages)
	}
	if f.json {
		return a.contextJSON(c, messages, changes, f.valid)
	}
	if err := a.printContext(messages); err != nil {
		return err
	}
	for _, ch := range changes {
		a.Note("changed: entry %s: %s", ch.EntryID, ch.Text)
	}
	for _, n := range c.Notes {
		a.Note("note: %s", n)
	}
	return nil
}

type messageSeq = iter.Seq2[pith.ContextMessage, error]

func eachOf(list []pith.ContextMessage) messageSeq {
	return func(yield func(pith.ContextMessage, error) bool) {
		for _, m := range list {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// forModel translates the messages and leaves those out that models do not get.
func forModel(list messageSeq) messageSeq {
	return func(yield func(pith.ContextMessage, error) bool) {
		for m, err := range list {
			if err == nil {
				var ok bool
				if m, ok = pith.ForModel(m); !ok {
					continue
				}
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

func (a *Commands) printContext(messages messageSeq) error {
	c := a.conversation()
	for m, err := range messages {
		if err != nil {
			return err
		}
		if a.Out.Failed() {
			return nil
		}
		decoded, err := m.Decode()
		if err != nil {
			return err
		}
		c.message(decoded, &format.Base{ID: m.EntryID})
	}
	return nil
}

type changeRecord struct {
	EntryID record.Text `json:"entryId"`
	Text    string      `json:"text"`
}

// contextJSON prints the context as pi's buildSessionContext returns it; with
// changes when the context was repaired, and notes when there are any.
func (a *Commands) contextJSON(c *pith.Context, messages messageSeq, changes []pith.Change, valid bool) error {
	a.Out.Print(`{"messages":[`)
	if err := console.JSONArray(a.Out, messages, func(m pith.ContextMessage) []byte { return m.Raw }); err != nil {
		return err
	}
	rest := struct {
		ThinkingLevel record.Text     `json:"thinkingLevel"`
		Model         *pith.Model     `json:"model"`
		Changes       *[]changeRecord `json:"changes,omitempty"`
		Notes         []string        `json:"notes,omitempty"`
	}{ThinkingLevel: record.Text(c.ThinkingLevel), Model: c.Model, Notes: c.Notes}
	if valid {
		list := make([]changeRecord, len(changes))
		for i, ch := range changes {
			list[i] = changeRecord{record.Text(ch.EntryID), ch.Text}
		}
		rest.Changes = &list
	}
	tail, err := record.Marshal(rest)
	if err != nil {
		return err
	}
	a.Out.Print("],")
	a.Out.RawJSON(append(json.RawMessage(tail[1:]), '\n'))
	return nil
}

// A conversation prints the messages of a context for reading. What people and
// the model said is printed in full; thinking and the output of tools are
// shortened.
type conversation struct{ layout.Sheet }

func (a *Commands) conversation() *conversation {
	return &conversation{layout.Sheet{Out: a.Out, Colors: a.Colors, Width: a.Width()}}
}

// message prints a message. head is nil for one that has no entry of its own.
func (c *conversation) message(m format.Message, head *format.Base) {
	switch m := m.(type) {
	case *format.User:
		c.begin(tone.User, "user", "", head)
		c.content(m.Content)
	case *format.Assistant:
		c.begin(tone.Assistant, "assistant", layout.OneLine(m.Model), head)
		c.content(m.Content)
		c.ending(m)
	case *format.ToolResult:
		c.toolResult(m, head)
	case *format.BashExecution:
		c.bash(m, head)
	case *format.CustomRole:
		c.begin(tone.Note, layout.OneLine(m.CustomType), "", head)
		c.content(m.Content)
	case *format.System:
		c.begin(tone.Dim, "system", "", head)
		c.Shortened(tone.Dim, "", m.Content.Joined(), layout.ResultLines)
	case *format.BranchSummaryMessage:
		c.begin(tone.Warning, "branch summary", "", head)
		c.Text(m.Summary)
	case *format.CompactionSummaryMessage:
		c.begin(tone.Note, "compaction summary", "", head)
		c.Text(m.Summary)
	case *format.UnknownMessage:
		role := string(m.RoleName)
		if role == "" {
			role = "message without a role"
		}
		c.begin(tone.Dim, layout.OneLine(role), "", head)
		c.content(m.Content)
	}
}

// begin prints the heading of a message: what it is, and the entry's id and time.
func (c *conversation) begin(t tone.Tone, what, about string, head *format.Base) {
	var facts []string
	if about != "" {
		facts = append(facts, about)
	}
	if head != nil {
		facts = append(facts, layout.OneLine(head.ID))
		if at, ok := head.Time(); ok {
			facts = append(facts, humanize.Moment(at))
		}
	}
	c.Heading(t, what, facts, "")
}

// ending tells how an answer ended if not as it should.
func (c *conversation) ending(m *format.Assistant) {
	switch {
	case m.ErrorMessage != "":
		c.Line(tone.Error, "! "+layout.OneLine(m.ErrorMessage))
	case m.StopReason == "aborted":
		c.Line(tone.Error, "! aborted")
	case m.StopReason == "length":
		c.Line(tone.Error, "! cut off: the answer was too long")
	case m.StopReason == "error":
		c.Line(tone.Error, "! failed")
	}
}

func (c *conversation) toolResult(m *format.ToolResult, head *format.Base) {
	what, t := layout.OneLine(m.ToolName), tone.Dim
	if what == "" {
		what = "tool"
	}
	about := "result"
	if m.IsError {
		about, t = "error", tone.Error
	}
	c.begin(t, what, about, head)
	for _, b := range blocksOf(m.Content) {
		if text, ok := b.(*format.TextBlock); ok {
			c.Shortened(tone.Dim, "", text.Text, layout.ResultLines)
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
	c.begin(tone.Note, "bash", about, head)
	c.Text("$ " + m.Command)
	c.Shortened(tone.Dim, "", m.Output, layout.ResultLines)
}
