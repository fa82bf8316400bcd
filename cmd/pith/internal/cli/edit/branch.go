package edit

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/askmodel"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/format"
)

type branchFlags struct {
	askmodel.ModelFlags
	summarize           bool
	instructions, label string
}

func (a *Commands) Branch() *cobra.Command {
	var f branchFlags
	cmd := &cobra.Command{
		Use:   "branch [SESSION [ENTRY]]",
		Short: "Continue from another entry, or list the branches",
		Long: `Make ENTRY the current entry: pi and pith continue there, and the next message
starts a new branch. Nothing is deleted. Without ENTRY, list the branches, at
most 1,000.

ENTRY~ is the entry before ENTRY, to ask a question again; @root~ is the place
before the first entry.

--summarize adds a summary of the branch you leave, for the model. If ENTRY is a
user message, the session then continues before it, as in pi, and its text is
printed. If the summary fails, nothing changes.`,
		Example: `  pith branch @
  pith branch @ root-cause
  pith branch @ 8f3a2b1c~
  pith branch @ @root~
  pith branch @ root-cause --summarize --label second-try
  pith branch @ root-cause --summarize --instructions "only what failed and why"`,
		Args:              flags.Takes(0, 2, 2),
		ValidArgsFunction: a.CompleteSession(1, a.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				if f.summarize {
					return exit.Helpf("missing ENTRY; see %s --help", cmd.CommandPath())
				}
				return a.listBranches(cmd.Context(), append(args, "@")[0], a.JSON)
			}
			if f.summarize {
				c, err := f.Choice(cmd)
				if err != nil {
					return err
				}
				return a.leave(cmd.Context(), args, c, f)
			}
			for _, name := range []string{"instructions", "label", "summarizer", "model"} {
				if cmd.Flags().Changed(name) {
					return exit.Usagef("--%s needs --summarize", name)
				}
			}
			return a.branch(cmd.Context(), args, f)
		},
	}
	cmd.Flags().BoolVar(&f.summarize, "summarize", false, "add a summary of the branch you leave")
	cmd.Flags().StringVar(&f.instructions, "instructions", "", "instructions for the summary, as `TEXT`; - reads standard input")
	cmd.Flags().StringVar(&f.label, "label", "", "`LABEL` for the summary")
	f.AddSummarizer(cmd)
	f.AddModel(cmd)
	return cmd
}

func (a *Commands) branch(ctx context.Context, args []string, f branchFlags) (err error) {
	s, err := a.OpenForWriting(ctx, args[0], pith.Refuse)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	to, err := branchTarget(s, args[1])
	if err != nil {
		return err
	}
	from, marker, err := ops.Branch(ctx, s, to)
	if err != nil {
		return err
	}
	return a.printMove(s, from, to, marker, a.JSON)
}

// branchTarget returns the entry that a reference names; "" for the place before the
// first one.
func branchTarget(s *pith.Session, ref string) (string, error) {
	if ref == "@root~" {
		return "", nil
	}
	base, before := strings.CutSuffix(ref, "~")
	id, err := lookup.EntryOf(s, base)
	if err != nil || !before {
		return id, err
	}
	path, err := s.View().PathIDs(id)
	if err != nil || len(path) < 2 {
		return "", err
	}
	return path[len(path)-2], nil
}

// A moveRecord is a move of the leaf in JSON.
type moveRecord struct {
	Session string `json:"id"`
	From    string `json:"fromEntryId" empty:"null"`
	To      string `json:"toEntryId" empty:"null"`
	Entry   string `json:"entryId" empty:"null"` // the entry that was written
}

func moveOf(s *pith.Session, from, to, entry string) moveRecord {
	return moveRecord{s.ID(), from, to, entry}
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
	instructions, err := a.TextArgument(ctx, f.instructions)
	if err != nil {
		return err
	}
	s, err := a.OpenToTalk(ctx, args[0], "")
	if err != nil {
		return err
	}
	to, err := branchTarget(s, args[1])
	if err != nil {
		lookup.Close(s, &err)
		return err
	}
	from, err := ops.Position(s)
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
		Summarize: true, Instructions: instructions, Label: format.CleanName(f.label), Exact: strings.HasSuffix(args[1], "~"),
	})
	switch {
	case err != nil:
		return askmodel.Unchanged(ctx, "branch", err)
	case done.Aborted:
		return ctx.Err()
	}
	return a.printLeft(s, from, done, a.JSON)
}

// printLeft prints the leaf of a session after a branch was left, with the
// summary and the text to edit.
func (a *Commands) printLeft(s *pith.Session, from string, done agent.Navigation, asJSON bool) error {
	summary := ""
	to, err := ops.Position(s)
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
			Summary string `json:"summary" empty:"null"`
			Text    string `json:"text" empty:"null"`
		}{moveOf(s, from, to, done.SummaryID), summary, done.EditorText})
	}
	if from == to && summary == "" {
		a.Out.Printf("already at %s\n", a.Describe(s, to))
		return nil
	}
	a.Out.Printf("from  %s\nto    %s\n", a.Describe(s, from), a.Describe(s, to))
	if summary == "" {
		a.Note("no summary: there is nothing to summarize")
	} else {
		a.Out.Print("\n" + termsafe.Text(summary) + "\n")
	}
	if done.EditorText != "" {
		a.Out.Print("\n" + termsafe.Text(done.EditorText) + "\n")
	}
	return nil
}
