package show

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/entrytree"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/fullscreen"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
)

func (a *Commands) Tree() *cobra.Command {
	var inApp bool
	var room flags.Budget
	cmd := &cobra.Command{
		Use:   "tree [SESSION]",
		Short: "Show the tree of a session",
		Long: `Show the entries of a session as a tree: by default of the newest session of
this project. Where it branches, the current branch comes first. • marks the
current branch, ◆ the current entry.

Filters:
  default       messages and tool results, no bookkeeping
  no-tools      no tool results either
  user-only     user messages
  labeled-only  entries with a label
  all           everything, including labels, names and model changes`,
		Example: `  pith tree @
  pith tree @ --filter user-only
  pith tree -i @                     open it in the terminal app
  pith tree 0199a --filter all --json | jq -r '.[] | select(.label) | .id'`,
		Args:              flags.Takes(0, 1, 1),
		ValidArgsFunction: a.CompleteSession(1),
	}
	filter := flags.Choice(cmd, "filter", "entries to show, a `FILTER`", "default", "no-tools", "user-only", "labeled-only", "all")
	cmd.Flags().BoolVarP(&inApp, "interactive", "i", false, "open the tree in the terminal app")
	room.Add(cmd)
	flags.Exclusive(cmd, "json", "interactive")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if inApp {
			found, err := a.Locate(cmd.Context(), sessionOf(args))
			if err != nil {
				return err
			}
			return (&fullscreen.App{Sessions: a.Sessions}).Show(cmd.Context(), fullscreen.View{Open: found.Path, Tree: true})
		}
		return a.tree(cmd.Context(), sessionOf(args), filter.Value, &room, a.JSON)
	}
	return cmd
}

func (a *Commands) tree(ctx context.Context, ref, filter string, given *flags.Budget, asJSON bool) (err error) {
	room, err := given.Budget()
	if err != nil {
		return err
	}
	s, _, err := a.openToRead(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	t, err := entrytree.Read(ctx, s, entrytree.Filtered(outline.Filter(filter)), a.ShortPath)
	if err != nil {
		return err
	}
	print := func(out *console.Output, part entrytree.Range) error {
		if asJSON {
			return t.PrintJSON(ctx, out, part)
		}
		return t.Print(ctx, out, a.Colors, a.Width(), part)
	}
	separator := "\n"
	if asJSON {
		separator = `,{"id":` // in a string the quotes have backslashes
	}
	part, err := t.Fit(room, separator, print)
	if err == nil {
		err = print(a.Out, part)
	}
	if err != nil {
		return err
	}
	if shown := part.To - part.From; shown < t.Rows.Len() {
		a.Note("showing %d of %s around the current one; a larger --budget shows more", shown, humanize.Count(t.Rows.Len(), "row"))
	}
	if asJSON {
		return nil
	}
	if t.Rows.Len() == 0 {
		a.Note("no entries match the filter; %[2]s shows all %[1]d", s.View().Len(), a.Hint("tree", ref, "--filter", "all"))
	}
	a.NoteFindings(s)
	return nil
}
