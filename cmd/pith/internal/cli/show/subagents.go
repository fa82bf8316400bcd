package show

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/subagent"
)

type subagentsFlags struct {
	at          string
	allBranches bool
}

func (a *Commands) Subagents() *cobra.Command {
	var f subagentsFlags
	cmd := &cobra.Command{
		Use:   "subagents SESSION",
		Short: "Show the subagent runs of a session as a tree",
		Long: `Show the subagent runs of a session: task, status, model, tokens, cost, time,
tool calls, and the command that shows the conversation of each run. Nested runs
are followed into their own sessions. Cost recorded in several files counts
once.`,
		Example: `  pith subagents @
  pith subagents 0199a --all-branches
  pith subagents @ --json | jq '.all.costMicros'`,
		Args:              flags.Takes(1, 1, 1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.subagents(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().StringVar(&f.at, "at", "", "show the path to `ENTRY` instead of the current one")
	cmd.Flags().BoolVar(&f.allBranches, "all-branches", false, "show runs on all branches")
	flags.Exclusive(cmd, "at", "all-branches")
	a.CompleteEntryFlag(cmd, "at")
	return cmd
}

func (a *Commands) subagents(ctx context.Context, ref string, f subagentsFlags) (err error) {
	found, err := a.Locate(ctx, ref)
	if err != nil {
		return err
	}
	p := ops.SubagentsParams{Path: found.Path, LeafID: f.at, AllBranches: f.allBranches}
	r, err := ops.Subagents(ctx, a.App(), p)
	if err != nil {
		return a.AdviseEntry(err, found.Path)
	}
	if a.JSON {
		return a.Out.JSON(r)
	}
	a.printSubagents(r, ref)
	if r.Findings > 0 {
		a.Note("note: %s in this file: %s", humanize.Count(r.Findings, "finding"), a.Hint("show", ref))
	}
	return nil
}

func (a *Commands) printSubagents(r *ops.AgentRuns, ref string) {
	managed := 0
	for i := range r.Invocations {
		inv := &r.Invocations[i]
		if len(inv.Runs) == 0 && inv.Mode == subagent.Management {
			managed++
			continue
		}
		a.printInvocation(r.Path, inv, 0)
	}
	if r.Runs == 0 && r.Partial {
		a.Note("no subagents ran on this branch; %s shows all branches", a.Hint("subagents", ref, "--all-branches"))
		return
	}
	if r.Runs == 0 {
		a.Note("no subagents ran in this session")
		return
	}
	a.Out.Print("\n")
	text := humanize.Count(r.Runs, "run")
	if r.Bad > 0 {
		text += fmt.Sprintf(", %d failed", r.Bad)
	}
	if r.Gone > 0 {
		text += fmt.Sprintf(", %d without a conversation", r.Gone)
	}
	if managed > 0 {
		text += "; " + humanize.Count(managed, "call") + " for management not shown"
	}
	a.Fact("runs", text)
	a.Fact("session", spending(r.Own))
	a.Fact("subagents", spending(r.Children))
	a.Fact("together", spending(r.All))
	if r.Limited {
		a.Note("runs below level %d are not shown", subagent.DefaultDepth)
	}
}

func spending(s format.Spent) string {
	return strings.Join(layout.NonEmpty(amount.Cost(s), humanize.Number(s.Tokens)+" tokens"), ", ")
}

// printInvocation prints a call of the session in file, and its runs, indented
// by level.
func (a *Commands) printInvocation(file string, inv *subagent.Invocation, level int) {
	if a.Out.Failed() {
		return
	}
	t := statusTone(inv.Status)
	facts := []string{cmp.Or(string(inv.Mode), "call")}
	if len(inv.Runs) > 1 {
		facts = append(facts, humanize.Count(len(inv.Runs), "run"))
	}
	facts = append(facts, string(inv.Status))
	if inv.Context != "" && inv.Context != "fresh" {
		facts = append(facts, "context "+layout.OneLine(inv.Context))
	}
	if entry := cmp.Or(inv.CallEntry, inv.ResultEntry); entry != "" {
		facts = append(facts, layout.OneLine(entry))
	}
	if !inv.Unassigned.IsZero() {
		facts = append(facts, spending(inv.Unassigned)+" in all")
	}
	a.treeLine(level, t, "── "+strings.Join(facts, " · "))
	if inv.Error != "" {
		a.treeLine(level+1, tone.Error, "! "+layout.OneLine(inv.Error))
	}
	for i := range inv.Runs {
		a.printRun(&inv.Runs[i], a.runHint(file, inv, i), level+1)
	}
}

// printRun prints a run, how to read it, and its own runs. The depth of its
// recursion is limited.
func (a *Commands) printRun(r *subagent.Run, hint string, level int) {
	a.treeLine(level, statusTone(r.Status), runLine(r))
	if r.Task != "" {
		task, _, _ := strings.Cut(strings.TrimSpace(r.Task), "\n")
		a.treeLine(level+2, tone.None, layout.OneLine(task))
	}
	if r.Reason != "" {
		a.treeLine(level+2, tone.Error, "! "+layout.OneLine(r.Reason))
	}
	for _, line := range a.sourceLines(r, hint) { // paths are not cut, so that they can be copied
		a.Out.Print(strings.Repeat("  ", level+2) + a.Colors.Dim(line) + "\n")
	}
	for i := range r.Calls {
		a.printInvocation(r.Source.Path, &r.Calls[i], level+2)
	}
	for i := range r.Children {
		a.printRun(&r.Children[i], "", level+2) // no command addresses them
	}
}

// runLine returns a run as one line: its result, its agent and its cost.
func runLine(r *subagent.Run) string {
	name := layout.OneLine(cmp.Or(r.Agent, "unknown agent"))
	if r.Key != "" && r.Key != r.Agent {
		name += " (" + layout.OneLine(r.Key) + ")"
	}
	facts := []string{statusMark(r.Status) + " " + name}
	if r.Status != subagent.OK {
		facts = append(facts, string(r.Status))
	}
	return strings.Join(append(facts, runFacts(r)...), " · ")
}

func runFacts(r *subagent.Run) []string {
	var facts []string
	if r.Model != "" {
		model := layout.OneLine(r.Model)
		if r.Thinking != "" && r.Thinking != "off" {
			model += ", thinking " + layout.OneLine(r.Thinking)
		}
		facts = append(facts, model)
	}
	if r.Usage.Tokens > 0 {
		facts = append(facts, humanize.Number(r.Usage.Tokens)+" tokens")
	}
	if cost := amount.Cost(r.Usage); cost != "" {
		facts = append(facts, cost)
	}
	if r.Total.Cost > r.Usage.Cost || r.Total.Unpriced > r.Usage.Unpriced {
		facts = append(facts, amount.Cost(r.Total)+" with those below")
	}
	if r.Duration > 0 {
		facts = append(facts, humanize.Duration(r.Duration))
	}
	if r.ToolCalls > 0 {
		facts = append(facts, humanize.Count(r.ToolCalls, "tool call"))
	}
	if r.Turns > 0 {
		facts = append(facts, humanize.Count(r.Turns, "turn"))
	}
	if len(r.Skills) > 0 {
		facts = append(facts, "skills "+layout.OneLine(strings.Join(r.Skills, ", ")))
	}
	return facts
}

// sourceLines describes where the conversation of a run is, how to read it, and
// which parts are missing. hint is the command for one without its own file; ""
// if there is none.
func (a *Commands) sourceLines(r *subagent.Run, hint string) []string {
	var lines []string
	say := func(text string) { lines = append(lines, termsafe.Line(text)) }
	switch kind := string(r.Source.Kind); {
	case kind == "":
		say("no conversation found")
	case r.Source.IsSession(), r.Source.IsRecord():
		name := r.Source.Path
		if r.Session != nil && ops.Original(name) != "" {
			name = r.Session.ID
		}
		say(kind + ": " + a.Hint("show", name))
	case r.Source.Path != "":
		say(kind + ": " + r.Source.Path)
	case hint != "" && r.Source.Kind == subagent.FromInline:
		say(kind + ": " + hint)
	case r.Source.Kind == subagent.FromInline:
		say(kind + ": in the result itself")
	default:
		say(kind + ": in the result itself, only the response")
	}
	for _, miss := range r.Tried {
		say(fmt.Sprintf("%s: %s (%s)", miss.Kind, miss.Path, miss.Why))
	}
	if r.Note != "" {
		say(r.Note)
	}
	return lines
}

// treeLine prints a line of the tree, cut to the terminal.
func (a *Commands) treeLine(level int, t tone.Tone, text string) {
	indent := strings.Repeat("  ", level)
	text = termsafe.Line(text)
	if w := a.Width(); w > 0 {
		indent = indent[:min(len(indent), w/2)]
		text = termsafe.Fit(text, max(1, w-len(indent)))
	}
	a.Out.Print(indent + a.Colors.Paint(t, text) + "\n")
}

func statusMark(s subagent.Status) string {
	switch {
	case s == subagent.OK:
		return "✓"
	case s.Bad():
		return "✗"
	case s == subagent.Skipped, s == subagent.Continued:
		return "–"
	case s == subagent.Unknown, s == subagent.NoResult:
		return "?"
	}
	return "…"
}

func statusTone(s subagent.Status) tone.Tone {
	switch {
	case s == subagent.OK:
		return tone.Assistant
	case s.Bad():
		return tone.Error
	}
	return tone.Warning
}
