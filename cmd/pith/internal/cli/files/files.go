package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/blame"
)

func (a *Commands) Files() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "files SESSION [FILE]",
		Short: "Show the files that a session changed",
		Long: `Show the files that a session changed, or only FILE, with the turns that changed
them.`,
		Example: `  pith files @
  pith files @ main.go`,
		Args:              flags.Takes(1, 2, -1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.files(cmd.Context(), args, a.JSON) },
	}
	return cmd
}

func (a *Commands) files(ctx context.Context, args []string, asJSON bool) error {
	found, err := a.Locate(ctx, args[0])
	if err != nil {
		return err
	}
	p := ops.FilesParams{Session: found.Path}
	if len(args) == 2 {
		p.Path = args[1]
	}
	r, err := ops.Files(ctx, a.App(), p)
	if errors.As(err, new(*ops.ParamError)) {
		return exit.Missingf("this session did not change %s; %s lists the files", args[1], a.Hint("files", args[0]))
	}
	if err != nil {
		return a.AdviseRepair(ctx, err, found.Path)
	}
	list := r.(*ops.SessionFiles)
	if asJSON {
		return a.Out.JSON(list)
	}
	a.list(list.Files)
	return nil
}

// list prints the files with their turns.
func (a *Commands) list(list []blame.Changed) {
	if len(list) == 0 {
		a.Note("this session changed no files")
		return
	}
	for i := range list {
		f := &list[i]
		note := ""
		if f.Outside {
			note = a.Colors.Dim("  (outside the project)")
		}
		a.Out.Print(a.Colors.Bold(layout.OneLine(f.Name)) + note + "\n")
		for k := range f.Changes {
			c := &f.Changes[k]
			mark := " "
			if c.Left {
				mark = "~"
			}
			text := fmt.Sprintf("  %s%3d  %s  %s  %-8s %s", mark, c.Number, layout.OneLine(c.EntryID), a.When(c.Time), c.Kind, layout.OneLine(cmp.Or(c.Request, "-")))
			if c.From != "" {
				text = fmt.Sprintf("  %s%3d  %s  %s  renamed from %s", mark, c.Number, layout.OneLine(c.EntryID), a.When(c.Time), layout.OneLine(c.From))
			}
			if w := a.Width(); w > 0 {
				text = termsafe.Fit(text, w)
			}
			a.Out.Print(text + "\n")
		}
	}
}
