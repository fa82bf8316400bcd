package cli

import (
	"context"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/reader/subagent"
)

// subagents prints the runs of subagents on the path, as pith subagents does.
func (v *showing) subagents(ctx context.Context) error {
	r, err := v.runs(ctx)
	if err != nil {
		return err
	}
	if v.isJSON() {
		return v.out.json(subagentReport(v.s, v.leaf, v.flags.allBranches, r))
	}
	if v.isMarkdown() {
		v.title()
		v.out.print("```\n")
		defer v.out.print("```\n")
	}
	v.printSubagents(v.s, r, v.ref, subagentsFlags{allBranches: v.flags.allBranches})
	v.printFaults()
	return nil
}

// runs reads the runs of subagents on the path, and those below them.
func (v *showing) runs(ctx context.Context) (*subagent.Report, error) {
	return subagent.Read(ctx, v.s, subagent.Options{
		Leaf: v.leaf, AllBranches: v.flags.allBranches, Environment: pith.Environment{Getenv: v.env.Getenv, Home: v.env.home()},
	})
}
