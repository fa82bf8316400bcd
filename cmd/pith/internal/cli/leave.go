package cli

import (
	"context"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/format"
)

// leave moves to another entry and leaves a summary of the branch that is left.
func (a *app) leave(ctx context.Context, args []string, c userconfig.Choice, f branchFlags) (err error) {
	if err := f.check(args); err != nil {
		return err
	}
	instructions, err := a.textArgument(ctx, f.instructions)
	if err != nil {
		return err
	}
	s, err := a.openToTalk(ctx, args[0], f.cwd)
	if err != nil {
		return err
	}
	to, err := branchTarget(s, args, f)
	if err != nil {
		closing(s, &err)
		return err
	}
	from, err := position(s)
	if err != nil {
		closing(s, &err)
		return err
	}
	if from == to {
		to = s.LeafID() // a recorded position is no branch to leave
	}
	conv, err := a.summarizing(s, c)
	if err != nil {
		return err
	}
	defer hangUp(conv, &err)
	done, err := conv.Navigate(ctx, to, agent.NavigateOptions{
		Summarize: true, Instructions: instructions, ReplaceInstructions: f.replace, Label: format.CleanName(f.label), Exact: f.before,
	})
	switch {
	case err != nil:
		return unchanged(ctx, "branch", err)
	case done.Aborted:
		return ctx.Err()
	}
	return a.printLeft(s, from, done, f.json)
}

// printLeft prints where a session stands after a branch was left, with the
// summary and the text that was taken back.
func (a *app) printLeft(s *pith.Session, from string, done agent.Navigation, asJSON bool) error {
	summary := ""
	to, err := position(s)
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
		return a.out.json(struct {
			Session jsText  `json:"session"`
			From    *jsText `json:"from"`
			To      *jsText `json:"to"`
			Entry   *jsText `json:"entry"`
			Summary *jsText `json:"summary"`
			Text    *jsText `json:"text"`
		}{jsText(s.ID()), jsTextOrNull(from), jsTextOrNull(to), jsTextOrNull(done.SummaryID), jsTextOrNull(summary), jsTextOrNull(done.EditorText)})
	}
	if from == to && summary == "" {
		a.out.printf("already at %s\n", a.describe(s, to))
		return nil
	}
	a.out.printf("from  %s\nto    %s\n", a.describe(s, from), a.describe(s, to))
	if summary == "" {
		a.note("nothing was left behind, so there is no summary")
	} else {
		a.out.print("\n" + termsafe.Text(summary) + "\n")
	}
	if done.EditorText != "" {
		a.out.print("\n" + termsafe.Text(done.EditorText) + "\n")
	}
	return nil
}
