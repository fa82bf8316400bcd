package fullscreen

import (
	"cmp"
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// Pick is the command that prints the sessions chosen in the list.
func (a *App) Pick() *cobra.Command {
	var paths, all bool
	var q lookup.Query
	cmd := &cobra.Command{
		Use:   "pick [QUERY...]",
		Short: "Choose sessions in a list and print their IDs",
		Long: `Choose a session in the list of the terminal app and print its ID. Ctrl+Space
selects several; each is one line. QUERY is the initial search: words and
filters as in pith ls.

The list is shown on the terminal even if the output is piped or captured. If
nothing is chosen, pith prints nothing and exits with code 1.`,
		Example: `  pi --session $(pith pick)
  pith export $(pith pick --all linker 'status:error')
  pith pick --path --all | xargs ls -l`,
		Args:              flags.Takes(0, -1, 0),
		ValidArgsFunction: a.CompleteQuery,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.ParseQuery(&q, args); err != nil {
				return err
			}
			return a.pick(cmd.Context(), q.Whole(), paths, all || q.NamesProject())
		},
	}
	cmd.Flags().BoolVar(&paths, "path", false, "print files instead of IDs; of other agents, their own")
	cmd.Flags().BoolVar(&all, "all", false, "start with the sessions of all projects")
	a.AddQuery(cmd, &q)
	return cmd
}

func (a *App) pick(ctx context.Context, query string, paths, all bool) error {
	in, out, done, err := a.terminal()
	if err != nil {
		return err
	}
	defer done()
	c, err := a.config(ctx)
	if err != nil {
		return err
	}
	c.Pick, c.All, c.Query, c.Demo = true, all, query, nil
	bye, err := tui.Run(ctx, c, in, out, os.Environ())
	if err != nil {
		return err
	}
	if len(bye.Picked) == 0 {
		return exit.ErrNothingChosen
	}
	for _, s := range bye.Picked {
		line := s.ID
		if paths {
			line = cmp.Or(ops.Original(s.Path), s.Path)
		}
		if !paths || a.Out.Terminal {
			line = termsafe.Line(line)
		}
		a.Out.Print(line + "\n")
	}
	return nil
}

// terminal returns where keys are read and the list is drawn: standard input and
// standard error where they are terminals, otherwise the controlling terminal.
// Standard output is for the result.
func (a *App) terminal() (in io.Reader, out io.Writer, done func(), err error) {
	in, out, done = a.Env.Stdin, a.Env.Stderr, func() {}
	hasIn, hasOut := a.Env.IsTerminal(in), a.Env.IsTerminal(out)
	switch {
	case a.Env.Getenv("TERM") == "dumb":
	case hasIn && hasOut:
		return in, out, done, nil
	case a.Env.Terminal != nil:
		tty, err := a.Env.Terminal()
		if err != nil {
			break // there is none
		}
		if !hasIn {
			in = tty
		}
		if !hasOut {
			out = tty
		}
		return in, out, func() { _ = tty.Close() }, nil
	}
	return nil, nil, nil, exit.Usagef("not a terminal; use pith ls --json instead")
}
