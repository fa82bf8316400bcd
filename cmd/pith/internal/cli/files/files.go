package files

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/blame"
)

func (a *Commands) Files() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "files SESSION [FILE]",
		Short: "Show the files that a session changed",
		Long: `Show the files that a session changed, or only FILE, with the turns that changed
them.`,
		Example: `  pith files @
  pith files @ main.go`,
		Args:              flags.Takes(1, 2, -1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.files(cmd.Context(), args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func (a *Commands) files(ctx context.Context, args []string, asJSON bool) (err error) {
	found, err := a.Locate(ctx, args[0])
	if err != nil {
		return err
	}
	s, err := a.Read(ctx, found)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	o, done, err := a.options(ctx)
	if err != nil {
		return err
	}
	defer done()
	past, err := a.past(ctx, s, found, o)
	if err != nil {
		return err
	}
	list := past.Files()
	if len(args) == 2 {
		file, ok := past.Find(args[1], a.Env.Here()) // without a directory, the names that the list has are meant
		if !ok {
			return exit.Missingf("this session did not change %s; %s lists the files", args[1], a.Hint("files", args[0]))
		}
		list = []blame.Changed{*file}
	}
	if asJSON {
		return a.Out.JSON(view.Files{Root: view.Text(past.Root()), Files: view.ChangedFiles(list)})
	}
	a.list(list)
	return nil
}

// past opens the files of a session.
func (a *Commands) past(ctx context.Context, s *pith.Session, found catalog.Ref, o blame.Options) (*blame.Past, error) {
	at := slices.IndexFunc(o.Sessions, func(i catalog.Info) bool { return i.Path == found.Path })
	if at < 0 { // a file that no list has
		info, err := catalog.Facts(ctx, found, a.Listing())
		if err != nil {
			return nil, err
		}
		at = len(o.Sessions)
		o.Sessions = append(o.Sessions, info)
	}
	return blame.OpenPast(ctx, s, at, o)
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
			text := fmt.Sprintf("  %s%3d  %s  %s  %-8s %s", mark, c.Number, layout.OneLine(c.EntryID), a.When(c.Time), view.ChangeWord(c.Kind), layout.OneLine(cmp.Or(c.Request, "-")))
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
