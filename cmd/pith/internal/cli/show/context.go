package show

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

type contextFlags struct {
	at                 string
	repair, modelRoles bool
	budget             flags.Budget
}

func (a *Commands) Context() *cobra.Command {
	var f contextFlags
	cmd := &cobra.Command{
		Use:   "context [SESSION]",
		Short: "Show the messages a model gets from a session",
		Long: `Show the messages a model gets at the current entry: after the latest
compaction, with edits and summaries applied.

--repair makes the context acceptable to any provider: every tool call is
followed by its result, failed responses are removed, invalid text is replaced.
Changes are listed on standard error, or in the JSON. The session itself does
not change.

--model-roles turns shell commands, extension messages and summaries into user
messages, the way models get them.`,
		Example: `  pith context @
  pith context @ --at root-cause
  pith context 0199a --repair --model-roles --json > context.json`,
		Args:              flags.Takes(0, 1, 1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.context(cmd.Context(), sessionOf(args), f) },
	}
	cmd.Flags().StringVar(&f.at, "at", "", "show the context at `ENTRY` instead of the current one")
	cmd.Flags().BoolVar(&f.repair, "repair", false, "repair the messages that a provider would refuse")
	cmd.Flags().BoolVar(&f.modelRoles, "model-roles", false, "use only the roles user, assistant and tool result")
	f.budget.Add(cmd)
	a.CompleteEntryFlag(cmd, "at")
	return cmd
}

func (a *Commands) context(ctx context.Context, ref string, f contextFlags) (err error) {
	room, err := f.budget.Budget()
	if err != nil {
		return err
	}
	s, _, err := a.openToRead(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	at, err := lookup.AtFlag(s, f.at)
	if err != nil {
		return err
	}
	c, err := s.View().Context(at)
	if err != nil {
		return err
	}
	messages, changes := c.ReusedMessages(), []pith.Finding(nil)
	if f.repair {
		repaired, changed, err := c.Repaired()
		if err != nil {
			return err
		}
		messages, changes = eachOf(repaired), changed
	}
	if f.modelRoles {
		messages = forModel(messages)
	}
	print := func(messages messageSeq, omitted int) error {
		if a.JSON {
			return a.contextJSON(c, messages, changes, &f, omitted)
		}
		return a.printContext(messages)
	}
	if err := a.printNewest(messages, &f, room, print); err != nil || a.JSON {
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

// printNewest prints the newest messages that fit the budget.
func (a *Commands) printNewest(messages messageSeq, f *contextFlags, room present.Budget, print func(messages messageSeq, omitted int) error) error {
	if room == 0 {
		return print(messages, 0)
	}
	var all []pith.ContextMessage
	for m, err := range messages {
		if err != nil {
			return err
		}
		m.Raw = slices.Clone(m.Raw) // the next message may overwrite it
		all = append(all, m)
	}
	var failed error
	frame := ""
	if a.JSON {
		frame = `{"messages":[],"thinkingLevel":"off","model":{"provider":"anthropic","modelId":"claude-sonnet-4-5"},"omitted":10000}`
	}
	shown := room.Fit(frame, present.Each(len(all), func(i int) string {
		m := all[len(all)-1-i]
		if a.JSON {
			return string(m.Raw) + ","
		}
		out := &layout.Buffer{}
		failed = cmp.Or(failed, a.writeContext(out, eachOf([]pith.ContextMessage{m})))
		return out.String()
	}))
	if failed != nil {
		return failed
	}
	if shown < len(all) {
		a.Note("showing the last %d of %s; a larger --budget shows more", shown, humanize.Count(len(all), "message"))
	}
	return print(eachOf(all[len(all)-shown:]), len(all)-shown)
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

// forModel converts the messages and omits those that models do not get.
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

func (a *Commands) printContext(messages messageSeq) error { return a.writeContext(a.Out, messages) }

func (a *Commands) writeContext(out layout.Printer, messages messageSeq) error {
	c := itemSheet{Sheet: layout.Sheet{Out: out, Colors: a.Colors, Width: a.Width()}, brief: true, apart: true, path: a.ShortPath}
	for m, err := range messages {
		if err != nil {
			return err
		}
		if a.Out.Failed() {
			return nil
		}
		decoded, err := format.DecodeMessage(m.Raw)
		if err != nil {
			return err
		}
		c.turn(&inspect.Turn{Items: inspect.Items(&format.MessageEntry{Base: format.Base{ID: m.EntryID}, Message: decoded})}, "")
	}
	return nil
}

type changeRecord struct {
	EntryID string `json:"entryId"`
	Text    string `json:"text"`
}

// contextJSON prints the context as pi's buildSessionContext returns it, with
// changes if the context was repaired, and notes if there are any.
func (a *Commands) contextJSON(c *pith.Context, messages messageSeq, changes []pith.Finding, f *contextFlags, omitted int) error {
	a.Out.Print(`{"messages":[`)
	if err := console.JSONArray(a.Out, messages, func(m pith.ContextMessage) []byte { return m.Raw }); err != nil {
		return err
	}
	rest := struct {
		ThinkingLevel string          `json:"thinkingLevel"`
		Model         *format.Model   `json:"model"`
		Changes       *[]changeRecord `json:"changes,omitempty"`
		Notes         []string        `json:"notes,omitempty"`
		Omitted       int             `json:"omitted,omitempty"`
	}{ThinkingLevel: c.ThinkingLevel, Model: c.Model, Notes: c.Notes, Omitted: omitted}
	if f.repair {
		list := make([]changeRecord, len(changes))
		for i, ch := range changes {
			list[i] = changeRecord{ch.EntryID, ch.Text}
		}
		rest.Changes = &list
	}
	tail, err := present.JSON(rest)
	if err != nil {
		return err
	}
	a.Out.Print("],")
	a.Out.RawJSON(append(json.RawMessage(tail[1:]), '\n'))
	return nil
}
