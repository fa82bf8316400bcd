package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/format"
)

type branchFlags struct {
	modelFlags
	before, reset, json bool
	summarize, replace  bool
	instructions, label string
}

func (a *app) branchCommand() *cobra.Command {
	var f branchFlags
	cmd := &cobra.Command{
		Use:   "branch SESSION ENTRY",
		Short: "Move to another entry, so that the session goes on from there",
		Long: `Move the position of a session to an entry. pi and pith resume there, and what is
said next begins a branch. Nothing is deleted: one entry that no reader shows
records the position.

--before moves before the entry, for asking again what it asked. --reset moves
before the first entry.

--summarize leaves a summary of the branch that is left at the new position, where
models see it. It goes by pi's rules: a message of the user is taken back, that
is, the session stands before it and its text is printed. If no whole summary
comes, the session stays where it was.`,
		Example: `  pith branch @ root-cause
  pith branch @ 8f3a2b1c --before
  pith branch @ @root --reset
  pith branch @ root-cause --summarize --label second-try
  pith branch @ root-cause --summarize --instructions "only what failed, and why"`,
		Args:              takes(1, 2, 2),
		ValidArgsFunction: a.completeSession(1, a.completeEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.summarize {
				c, err := f.choice(cmd)
				if err != nil {
					return err
				}
				return a.leave(cmd.Context(), args, c, f)
			}
			for _, name := range []string{"instructions", "replace-instructions", "label", "summarizer", "model", "cwd"} {
				if cmd.Flags().Changed(name) {
					return usagef("--%s is for --summarize", name)
				}
			}
			return a.branch(cmd.Context(), args, f)
		},
	}
	cmd.Flags().BoolVar(&f.before, "before", false, "move to what the entry follows")
	cmd.Flags().BoolVar(&f.reset, "reset", false, "move before the first entry; ENTRY may be left out or @root")
	cmd.Flags().BoolVar(&f.summarize, "summarize", false, "leave a summary of the branch that is left")
	cmd.Flags().StringVar(&f.instructions, "instructions", "", "say in `TEXT` what matters in the summary; - reads standard input")
	cmd.Flags().BoolVar(&f.replace, "replace-instructions", false, "let --instructions take the place of the usual ones")
	cmd.Flags().StringVar(&f.label, "label", "", "mark the summary with this `LABEL`")
	f.addSummarizer(cmd)
	f.addModel(cmd)
	f.addCwd(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	exclusive(cmd, "before", "reset")
	return cmd
}

// check refuses arguments that cannot be meant together.
func (f *branchFlags) check(args []string) error {
	switch {
	case len(args) == 1 && !f.reset:
		return usagef("usage: pith branch SESSION ENTRY; see pith branch --help")
	case f.reset && len(args) == 2 && args[1] != "@root":
		return usagef("--reset moves before the first entry; leave %s out, or use --before", args[1])
	case f.replace && f.instructions == "":
		return usagef("--replace-instructions needs --instructions to replace them with")
	}
	return nil
}

func (a *app) branch(ctx context.Context, args []string, f branchFlags) (err error) {
	if err := f.check(args); err != nil {
		return err
	}
	s, err := a.openForWriting(ctx, args[0], pith.Refuse)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	to, err := branchTarget(s, args, f)
	if err != nil {
		return err
	}
	from, err := position(s)
	if err != nil {
		return err
	}
	marker := ""
	if from != to {
		if marker, err = moveTo(s, to); err != nil {
			s.Follow() // closing must not try again
			return err
		}
	}
	return a.printMove(s, from, to, marker, f.json)
}

func branchTarget(s *pith.Session, args []string, f branchFlags) (string, error) {
	if f.reset {
		return "", nil
	}
	id, err := entryOf(s, args[1])
	if err != nil || !f.before {
		return id, err
	}
	path, err := s.PathIDs(id)
	if err != nil || len(path) < 2 {
		return "", err
	}
	return path[len(path)-2], nil
}

// position is the entry at which a session stands; "" before the first. A
// recorded position stands for the entry that it marks.
func position(s *pith.Session) (string, error) {
	leaf, err := s.Leaf()
	if leaf == nil || err != nil {
		return "", err
	}
	if c, ok := leaf.(*format.Custom); ok && c.CustomType == format.LeafCustomType {
		return c.ParentID, nil
	}
	return leaf.Head().ID, nil
}

// moveTo moves the leaf and records that, as closing a session with a moved leaf
// does. Here it is what was asked for, so a failure must be told.
func moveTo(s *pith.Session, id string) (marker string, err error) {
	if id == "" {
		s.ResetLeaf()
	} else if err := s.Branch(id); err != nil {
		return "", err
	}
	return s.AppendCustom(format.LeafCustomType, format.LeafData(id))
}

func (a *app) printMove(s *pith.Session, from, to, marker string, asJSON bool) error {
	if asJSON {
		return a.out.json(struct {
			Session jsText  `json:"session"`
			From    *jsText `json:"from"`
			To      *jsText `json:"to"`
			Entry   *jsText `json:"entry"`
		}{jsText(s.ID()), jsTextOrNull(from), jsTextOrNull(to), jsTextOrNull(marker)})
	}
	if marker == "" {
		a.out.printf("already at %s\n", a.describe(s, to))
		return nil
	}
	a.out.printf("from  %s\nto    %s\n", a.describe(s, from), a.describe(s, to))
	return nil
}

// describe is an entry as a sentence names it: its id and its gist.
func (a *app) describe(s *pith.Session, id string) string {
	if id == "" {
		return "the place before the first entry"
	}
	e, err := s.Entry(id)
	if err != nil {
		return oneLine(id)
	}
	cells := 60
	if w := a.width(); w > 0 {
		cells = max(10, w-20)
	}
	return fmt.Sprintf("%s  %s", oneLine(id), entryline.NewTeller(a.homely).Of(e).Cut(cells))
}
