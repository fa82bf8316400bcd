package share

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/redact"
)

// guard holds the flags for what to redact.
type guard struct{ names bool }

// add adds the flag for personal data. verb says what becomes of it.
func (g *guard) add(cmd *cobra.Command, verb string) {
	cmd.Flags().BoolVar(&g.names, "identity", false, verb+" your home directory, user and host name, and email addresses")
}

func (a *Commands) Secrets() *cobra.Command {
	var g guard
	var all bool
	cmd := &cobra.Command{
		Use:   "secrets [SESSION]...",
		Short: "Find secrets in sessions, without showing them",
		Long: `Find secrets in sessions: your own keys and passwords, values in the format of a
key or token, and values next to a word like password. The output shows where
they are, not the values. Suspects, which only look random, are listed apart.
Without arguments, check the sessions of this project.`,
		Example: `  pith secrets
  pith secrets @
  pith secrets --all --json`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.CompleteSession(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all && len(args) > 0 {
				return exit.Usagef("SESSION and --all cannot be used together")
			}
			return a.secrets(cmd.Context(), args, g, all, a.JSON)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "check the sessions of all projects")
	g.add(cmd, "include")
	return cmd
}

func (a *Commands) secrets(ctx context.Context, refs []string, g guard, all, asJSON bool) error {
	p := ops.SecretsParams{Names: g.names}
	if err := errors.Join(a.CheckSessionDir(), a.CheckSources()); err != nil {
		return err
	}
	located, err := a.LocateAll(ctx, refs)
	for _, ref := range located {
		p.Paths, p.Projects = append(p.Paths, ref.Path), append(p.Projects, ref.Cwd)
	}
	if err == nil && len(refs) == 0 && !all {
		p.Cwd, err = a.Cwd()
	}
	if err != nil {
		return err
	}
	r, err := ops.Secrets(ctx, a.App(), p)
	if err != nil {
		return err
	}
	if r.Unread != nil {
		a.Note("note: %v", r.Unread)
	}
	switch {
	case asJSON:
		err = a.Out.JSON(r.Record())
	case r.Asked == 0:
		a.NoteNothingHere(ctx, all)
		return nil
	default:
		a.printSecrets(r)
	}
	if certain, _ := apart(r.Counts); err == nil && len(certain) > 0 {
		err = exit.Findingsf("%s in %s", humanize.Count(places(certain), "match"), humanize.Count(holding(r.Files), "session"))
	}
	return err
}

func holding(list []ops.FileSecrets) (n int) {
	for _, f := range list {
		if slices.ContainsFunc(f.Findings, isCertain) {
			n++
		}
	}
	return n
}

func isCertain(f redact.Finding) bool { return f.Kind != redact.Suspect }

func isSuspect(f redact.Finding) bool { return f.Kind == redact.Suspect }

func (a *Commands) printSecrets(r *ops.Leaks) {
	list := r.Files
	certain, suspects := apart(r.Counts)
	if len(certain) == 0 {
		a.Out.Printf("no secrets in %s\n", humanize.Count(len(list), "session"))
	} else {
		a.table(certain, r.In)
		a.Out.Print("\n")
		a.printPlaces(list, isCertain)
	}
	if len(suspects) > 0 {
		a.Out.Printf("\n%s, values that only look random:\n", humanize.Count(places(suspects), "suspect"))
		a.printPlaces(list, isSuspect)
	}
}

// printPlaces prints where the findings of one sort are.
func (a *Commands) printPlaces(list []ops.FileSecrets, wanted func(redact.Finding) bool) {
	for _, f := range list {
		n := 0
		for _, at := range f.Findings {
			if !wanted(at) {
				continue
			}
			if n++; n == 1 {
				path := a.ShortPath(f.Path)
				if original := ops.Original(f.Path); original != "" {
					path = a.ShortPath(original) + " (line numbers after conversion to pi's format)"
				}
				a.Out.Printf("%s\n", termsafe.Line(path))
			}
			if n <= 5 || len(list) == 1 {
				a.Out.Printf("  line %d  %s#%d  %s\n", at.Line, termsafe.Line(at.Rule), at.Number, termsafe.Line(at.Path))
			}
		}
		if n > 5 && len(list) > 1 {
			a.Out.Printf("  %s: %s\n", humanize.Count(n-5, "more match"), a.Hint("secrets", f.Path))
		}
	}
}
