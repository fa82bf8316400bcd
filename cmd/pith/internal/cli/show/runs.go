package show

import (
	"context"

	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/subagent"
)

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
