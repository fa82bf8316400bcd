package edit

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/askmodel"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
)

type branchFlags struct {
	askmodel.ModelFlags
	before, reset, json bool
	summarize, replace  bool
	instructions, label string
}

func (a *Commands) Branch() *cobra.Command {
	var f branchFlags
	cmd := &cobra.Command{
		Use:   "branch SESSION ENTRY",
		Short: "Move to another entry, so that the session goes on from there",
		Long: `Move the position of a session to an entry. pi and pith resume there, and what
is said next begins a branch. Nothing is deleted: one entry that no reader
shows records the position.

--before moves before the entry, for asking again what it asked. --reset moves
before the first entry.

--summarize leaves a summary of the branch that is left at the new position,
where models see it. It goes by pi's rules: a message of the user is taken
back, that is, the session stands before it and its text is printed. If no
whole summary comes, the session stays where it was.`,
		Example: `  pith branch @ root-cause
  pith branch @ 8f3a2b1c --before
  pith branch @ @root --reset
  pith branch @ root-cause --summarize --label second-try
  pith branch @ root-cause --summarize --instructions "only what failed and why"`,
		Args:              flags.Takes(1, 2, 2),
		ValidArgsFunction: a.CompleteSession(1, a.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.summarize {
				c, err := f.Choice(cmd)
				if err != nil {
					return err
				}
				return a.leave(cmd.Context(), args, c, f)
			}
			for _, name := range []string{"instructions", "replace-instructions", "label", "summarizer", "model", "cwd"} {
				if cmd.Flags().Changed(name) {
					return exit.Usagef("--%s is for --summarize", name)
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
	f.AddSummarizer(cmd)
	f.AddModel(cmd)
	f.AddCwd(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	flags.Exclusive(cmd, "before", "reset")
	return cmd
}

// check rejects contradictory arguments.
func (f *branchFlags) check(args []string) error {
	switch {
	case len(args) == 1 && !f.reset:
		return exit.Helpf("usage: pith branch SESSION ENTRY; see pith branch --help")
	case f.reset && len(args) == 2 && args[1] != "@root":
		return exit.Usagef("--reset moves before the first entry; leave %s out, or use --before", args[1])
	case f.replace && f.instructions == "":
		return exit.Usagef("--replace-instructions needs --instructions to replace them with")
	}
	return nil
}

func (a *Commands) branch(ctx context.Context, args []string, f branchFlags) (err error) {
	if err := f.check(args); err != nil {
		return err
	}
	s, err := a.OpenForWriting(ctx, args[0], pith.Refuse)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	to, err := branchTarget(s, args, f)
	if err != nil {
		return err
	}
	from, err := lookup.Position(s)
	if err != nil {
		return err
	}
	marker := ""
	if from != to {
		if marker, err = moveTo(ctx, s, to); err != nil {
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
	id, err := lookup.EntryOf(s, args[1])
	if err != nil || !f.before {
		return id, err
	}
	path, err := s.View().PathIDs(id)
	if err != nil || len(path) < 2 {
		return "", err
	}
	return path[len(path)-2], nil
}

// moveTo moves the leaf and records that, as closing a session with a moved
// leaf does. Here it was requested, so a failure must be reported.
func moveTo(ctx context.Context, s *pith.Session, id string) (marker string, err error) {
	if id == "" {
		s.ResetLeaf()
	} else if err := s.Branch(id); err != nil {
		return "", err
	}
	return s.AppendCustom(ctx, format.LeafCustomType, format.LeafData(id))
}

// A moveRecord is a move of the leaf in JSON.
type moveRecord struct {
	Session view.Text  `json:"id"`
	From    *view.Text `json:"fromEntryId"`
	To      *view.Text `json:"toEntryId"`
	Entry   *view.Text `json:"entryId"` // the entry that was written
}

func moveOf(s *pith.Session, from, to, entry string) moveRecord {
	return moveRecord{view.Text(s.ID()), view.TextOrNull(from), view.TextOrNull(to), view.TextOrNull(entry)}
}

func (a *Commands) printMove(s *pith.Session, from, to, marker string, asJSON bool) error {
	if asJSON {
		return a.Out.JSON(moveOf(s, from, to, marker))
	}
	if marker == "" {
		a.Out.Printf("already at %s\n", a.Describe(s, to))
		return nil
	}
	a.Out.Printf("from  %s\nto    %s\n", a.Describe(s, from), a.Describe(s, to))
	return nil
}

// leave moves to another entry and writes a summary of the branch that is left.
func (a *Commands) leave(ctx context.Context, args []string, c userconfig.Choice, f branchFlags) (err error) {
	if err := f.check(args); err != nil {
		return err
	}
	instructions, err := a.TextArgument(ctx, f.instructions)
	if err != nil {
		return err
	}
	s, err := a.OpenToTalk(ctx, args[0], f.Cwd)
	if err != nil {
		return err
	}
	to, err := branchTarget(s, args, f)
	if err != nil {
		lookup.Close(s, &err)
		return err
	}
	from, err := lookup.Position(s)
	if err != nil {
		lookup.Close(s, &err)
		return err
	}
	if from == to {
		to = s.LeafID() // a recorded position is not a branch to leave
	}
	conv, err := a.Summarizing(s, c)
	if err != nil {
		return err
	}
	defer askmodel.HangUp(conv, &err)
	done, err := conv.Navigate(ctx, to, agent.NavigateOptions{
		Summarize: true, Instructions: instructions, ReplaceInstructions: f.replace, Label: format.CleanName(f.label), Exact: f.before,
	})
	switch {
	case err != nil:
		return askmodel.Unchanged(ctx, "branch", err)
	case done.Aborted:
		return ctx.Err()
	}
	return a.printLeft(s, from, done, f.json)
}

// printLeft prints the leaf of a session after a branch was left, with the
// summary and the text to edit.
func (a *Commands) printLeft(s *pith.Session, from string, done agent.Navigation, asJSON bool) error {
	summary := ""
	to, err := lookup.Position(s)
	if err != nil {
		return err
	}
	if done.SummaryID != "" {
		e, err := s.Entry(done.SummaryID)
		if err != nil {
			return err
		}
		to = e.Head().ParentID
		if b, ok := e.(*format.BranchSummary); ok {
			summary = b.Summary
		}
	}
	if asJSON {
		return a.Out.JSON(struct {
			moveRecord
			Summary *view.Text `json:"summary"`
			Text    *view.Text `json:"text"`
		}{moveOf(s, from, to, done.SummaryID), view.TextOrNull(summary), view.TextOrNull(done.EditorText)})
	}
	if from == to && summary == "" {
		a.Out.Printf("already at %s\n", a.Describe(s, to))
		return nil
	}
	a.Out.Printf("from  %s\nto    %s\n", a.Describe(s, from), a.Describe(s, to))
	if summary == "" {
		a.Note("nothing was left behind, so there is no summary")
	} else {
		a.Out.Print("\n" + termsafe.Text(summary) + "\n")
	}
	if done.EditorText != "" {
		a.Out.Print("\n" + termsafe.Text(done.EditorText) + "\n")
	}
	return nil
}
