package show

import (
	"context"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/budget"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/subagent"
)

// A runView prints subagent runs.
type runView struct{ *showing }

// subagents prints the subagent runs on the path, as pith subagents does. If
// there is not enough room, it omits the oldest calls.
func (v runView) subagents(ctx context.Context) error {
	r, err := v.runs(ctx)
	if err != nil {
		return err
	}
	if rest := v.flags.rest; rest > 0 && rest < len(r.Invocations) {
		r.Invocations = r.Invocations[:rest]
	}
	calls := ration[int]{most: v.flags.budget}
	if v.flags.given("budget") {
		for i := range r.Invocations {
			text, err := budget.Captured(v.Console, func() error { return v.printCalls(r, i, i+1) })
			if err != nil {
				return err
			}
			calls.add(0, i, text)
		}
	}
	return v.within(func(room int64) error {
		kept := calls.shrunk(room)
		v.lost = loss{elements: kept.dropped, what: "call", through: -1}
		return v.printRuns(r, kept.dropped)
	})
}

// printCalls prints some of the calls, to measure them.
func (v runView) printCalls(r *subagent.Report, from, to int) error {
	if v.isJSON() {
		return v.Out.JSON(view.AgentCalls(r.Invocations[from:to], v.mostOfTask()))
	}
	for i := from; i < to; i++ {
		v.printInvocation(v.s.File(), &r.Invocations[i], 0)
	}
	return nil
}

// mostOfTask returns the number of characters shown of a task; 0 means all.
func (v runView) mostOfTask() int {
	if !v.flags.given("budget") {
		return 0
	}
	return v.shortText(600)
}

// printRuns prints the report without the first dropped calls.
func (v runView) printRuns(r *subagent.Report, dropped int) error {
	shown := *r
	shown.Invocations = r.Invocations[dropped:]
	if v.isJSON() {
		record := view.SubagentsOf(v.s, v.leaf, v.flags.allBranches, &shown, v.mostOfTask())
		record.LeftOut = dropped
		if dropped > 0 {
			record.Page = &view.CallsPage{Earlier: v.pager().restCommand()}
		}
		return v.Out.JSON(record)
	}
	if v.isMarkdown() {
		v.pager().title()
		v.Out.Print("```\n")
	}
	v.printSubagents(v.s, &shown, v.ref, subagentsFlags{at: v.leaf, allBranches: v.flags.allBranches})
	if v.isMarkdown() {
		v.Out.Print("```\n")
	}
	v.printFaults()
	if dropped > 0 {
		v.Out.Print("\n")
		for _, line := range []string{v.pager().lossLine(), "earlier: " + *v.pager().restCommand()} {
			v.Out.Print(v.Colors.Dim(termsafe.Line(line)) + "\n")
		}
	}
	return nil
}

// runTeller returns a runTeller for the subagent runs of a turn: one line
// for each and, except in the brief view, the place of its conversation, for
// which it looks at files next to the session. It omits runs that cannot be
// read.
func (v *showing) runTeller(reading *inspect.Reading, index int) runTeller {
	var calls map[string]*subagent.Invocation
	return func(it *inspect.Item) []string {
		if !subagent.IsTool(string(it.Name)) || it.Tool.Result == nil {
			return nil
		}
		brief := v.flags.brief()
		switch {
		case calls != nil:
		case brief:
			list, _ := subagent.FindIn(reading.Lines(index))
			calls = byResult(list)
		default:
			calls = v.invocations()
		}
		inv := calls[string(it.Tool.Result.EntryID)]
		if inv == nil {
			return nil
		}
		var lines []string
		for i := range inv.Runs {
			r := &inv.Runs[i]
			lines = append(lines, runLine(r))
			if brief {
				continue
			}
			for _, line := range v.sourceLines(r, v.runHint(v.s.File(), inv, i)) {
				lines = append(lines, "    "+line)
			}
		}
		return lines
	}
}

func byResult(list []subagent.Invocation) map[string]*subagent.Invocation {
	calls := map[string]*subagent.Invocation{}
	for i := range list {
		calls[list[i].ResultEntry] = &list[i]
	}
	return calls
}

// runs reads the subagent runs on the path, and those below them.
func (v *showing) runs(ctx context.Context) (*subagent.Report, error) {
	return subagent.Read(ctx, v.s, subagent.Options{
		Leaf: v.leaf, AllBranches: v.flags.allBranches, Environment: v.Environment(),
	})
}
