package cli

import (
	"cmp"
	"context"
	"iter"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/plain"
)

type showFlags struct {
	at                     string
	atGiven                bool
	allBranches, raw, json bool
}

func (a *app) showCommand() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "show SESSION",
		Short: "Show a session: its facts, its findings, its conversation",
		Long: `Show the facts of a session, what is wrong with its file, and the conversation
from the first entry to the one at which it stands. What was said is printed in
full; thinking and the output of tools are shortened.

--raw prints the lines of the file instead, header first, byte for byte; on a
terminal control characters are escaped. A file of an old version is shown as it
will be after its migration.`,
		Example: `  pith show @
  pith show @2 --at root-cause
  pith show 0199a --all-branches | less
  pith show 0199a --raw > active-path.jsonl`,
		Args:              takes(1, 1, 1),
		ValidArgsFunction: a.completeSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.atGiven = cmd.Flags().Changed("at")
			return a.show(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().StringVar(&f.at, "at", "", "show the path to `ENTRY` instead of the active one")
	cmd.Flags().BoolVar(&f.allBranches, "all-branches", false, "show the entries of all branches")
	cmd.Flags().BoolVar(&f.raw, "raw", false, "print the lines of the file")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	exclusive(cmd, "at", "all-branches")
	exclusive(cmd, "raw", "json")
	a.completeEntryFlag(cmd, "at")
	return cmd
}

func (a *app) show(ctx context.Context, ref string, f showFlags) (err error) {
	info, err := a.locate(ctx, ref)
	if err != nil {
		return err
	}
	s, err := a.read(info)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	at, err := atFlag(s, f.at, f.atGiven)
	if err != nil {
		return err
	}
	switch {
	case f.raw:
		return a.showRaw(s, at, f)
	case f.json:
		return a.showJSON(ctx, s, info.Version, at, f)
	}
	facts, err := factsOf(ctx, s, info.Version, at)
	if err != nil {
		return err
	}
	a.printFacts(facts)
	a.printFindings(facts.Findings)
	return a.printConversation(ctx, s, at, f)
}

// entries yields what a command was asked to show, on one branch or on all.
func entries(s *pith.Session, at string, f showFlags) (entrySeq, error) {
	if f.allBranches {
		return s.Entries(), nil
	}
	return s.Path(at)
}

type entrySeq = iter.Seq2[format.Entry, error]

func (a *app) printConversation(ctx context.Context, s *pith.Session, at string, f showFlags) error {
	list, err := entries(s, at, f)
	if err != nil {
		return err
	}
	c := a.conversation(s.Label)
	c.started = true
	c.jumps = f.allBranches
	for e, err := range list {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if a.out.failed() {
			return nil
		}
		c.entry(e)
	}
	return nil
}

// showRaw prints lines of the file as they are. On a terminal they are made
// harmless.
func (a *app) showRaw(s *pith.Session, at string, f showFlags) error {
	list, err := entries(s, at, f)
	if err != nil {
		return err
	}
	a.rawLine(s.Header().Raw)
	for e, err := range list {
		if err != nil {
			return err
		}
		if a.out.failed() {
			return nil
		}
		a.rawLine(e.Head().Raw)
	}
	return nil
}

func (a *app) rawLine(line []byte) {
	if a.out.terminal {
		a.out.print(plain.Line(string(line)) + "\n")
		return
	}
	_, _ = a.out.Write(line)
	a.out.print("\n")
}

// showJSON prints the facts and the entries, which keep their bytes, as one
// object. It is written as it is read, whatever the size of the session.
func (a *app) showJSON(ctx context.Context, s *pith.Session, version int, at string, f showFlags) error {
	facts, err := factsOf(ctx, s, version, at)
	if err != nil {
		return err
	}
	list, err := entries(s, at, f)
	if err != nil {
		return err
	}
	head, err := marshal(facts)
	if err != nil {
		return err
	}
	_, _ = a.out.Write(plain.JSON(head[:len(head)-1])) // leaves the object open
	a.out.print(`,"path":[`)
	if err := jsonArray(a.out, list, func(e format.Entry) []byte { return e.Head().Raw }); err != nil {
		return err
	}
	a.out.print("]}\n")
	return nil
}
