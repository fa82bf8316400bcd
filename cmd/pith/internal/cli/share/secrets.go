package share

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/redact"
)

// guard holds the flags for what to redact.
type guard struct{ names bool }

// add adds the flag for personal data. verb says what becomes of it.
func (g *guard) add(cmd *cobra.Command, verb string) {
	cmd.Flags().BoolVar(&g.names, "identity", false, verb+" your home directory, user and host name, and email addresses")
}

// redaction returns the options of redaction: this user's secrets in the given
// projects, the rules, and the additions of flags.
func (a *Commands) redaction(g guard, projects ...string) (redact.Options, error) {
	var o redact.Options
	secrets, err := redact.Collect(redact.Sources{AgentDir: a.Environment().AgentDir(), Environ: os.Environ(), Projects: projects})
	if err != nil {
		a.Note("note: %v", err)
	}
	o.Secrets = secrets
	if g.names {
		o.Names = redact.LocalNames()
	}
	return o, nil
}

func (a *Commands) Secrets() *cobra.Command {
	var g guard
	var all, asJSON bool
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
			return a.secrets(cmd.Context(), args, g, all, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "check the sessions of all projects")
	a.AddSources(cmd)
	g.add(cmd, "include")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// found holds the findings of one session.
type found struct {
	path     string
	findings []redact.Finding
	err      error
}

func (a *Commands) secrets(ctx context.Context, refs []string, g guard, all, asJSON bool) error {
	paths, projects, err := a.searched(ctx, refs, all)
	if err != nil {
		return err
	}
	o, err := a.redaction(g, projects...)
	if err != nil {
		return err
	}
	redactor, err := redact.New(o)
	if err != nil {
		return err
	}
	if len(paths) == 0 && !asJSON {
		a.NoteNothingHere(ctx, all)
		return nil
	}
	var list []found
	var every []redact.Finding
	inSessions := map[string]int{}
	for got := range parallel.InOrder(ctx, len(paths), func(ctx context.Context, _ *struct{}, i int) found {
		return look(ctx, redactor, paths[i])
	}) {
		a.Working("checking sessions", int64(len(list)), int64(len(paths)), humanize.Number)
		if got.err != nil {
			a.Note("note: skipped %s: %v", a.ShortPath(got.path), lookup.Cause(got.err))
			continue
		}
		list = append(list, got)
		every = append(every, got.findings...)
		for _, c := range redact.Tally(got.findings) {
			inSessions[c.Rule]++
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	counts := redact.Tally(every)
	if asJSON {
		r := view.Secrets{Checked: len(list), Found: view.SecretCounts(counts, inSessions), Sessions: []view.SecretSession{}}
		for _, f := range list {
			r.AddSession(f.path, f.findings)
		}
		err = a.Out.JSON(r)
	} else {
		a.printSecrets(list, counts, inSessions)
	}
	if certain, _ := apart(counts); err == nil && len(certain) > 0 {
		err = exit.Findingsf("%s in %s", humanize.Count(places(certain), "match"), humanize.Count(holding(list), "session"))
	}
	return err
}

// searched returns the files to search and their projects.
func (a *Commands) searched(ctx context.Context, refs []string, all bool) (paths, projects []string, err error) {
	if len(refs) > 0 {
		located, err := a.LocateAll(ctx, refs)
		for _, ref := range located {
			paths, projects = append(paths, ref.Path), append(projects, ref.Cwd)
		}
		return paths, uniqueDirs(projects), err
	}
	infos, err := a.List(ctx, all, true)
	for _, i := range infos {
		paths, projects = append(paths, i.Path), append(projects, i.Cwd)
	}
	return paths, uniqueDirs(projects), err
}

func uniqueDirs(dirs []string) []string {
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return dir == "" || !filepath.IsAbs(dir) })
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func look(ctx context.Context, r *redact.Redactor, path string) found {
	file, err := foreign.Open(ctx, path)
	if err != nil {
		return found{path: path, err: err}
	}
	defer file.Close()
	if err := r.LearnFile(jsonl.NewHoled(ctx, file)); err != nil {
		return found{path: path, err: err}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return found{path: path, err: err}
	}
	findings, err := r.Check(jsonl.NewHoled(ctx, file))
	return found{path, findings, err}
}

func holding(list []found) (n int) {
	for _, f := range list {
		if slices.ContainsFunc(f.findings, isCertain) {
			n++
		}
	}
	return n
}

func isCertain(f redact.Finding) bool { return f.Kind != redact.Suspect }

func isSuspect(f redact.Finding) bool { return f.Kind == redact.Suspect }

func (a *Commands) printSecrets(list []found, counts []redact.Count, inSessions map[string]int) {
	certain, suspects := apart(counts)
	if len(certain) == 0 {
		a.Out.Printf("no secrets in %s\n", humanize.Count(len(list), "session"))
	} else {
		a.table(certain, inSessions)
		a.Out.Print("\n")
		a.printPlaces(list, isCertain)
	}
	if len(suspects) > 0 {
		a.Out.Printf("\n%s, values that only look random:\n", humanize.Count(places(suspects), "suspect"))
		a.printPlaces(list, isSuspect)
	}
}

// printPlaces prints where the findings of one sort are.
func (a *Commands) printPlaces(list []found, wanted func(redact.Finding) bool) {
	for _, f := range list {
		n := 0
		for _, at := range f.findings {
			if !wanted(at) {
				continue
			}
			if n++; n == 1 {
				path := a.ShortPath(f.path)
				if original := lookup.Original(f.path); original != "" {
					path = a.ShortPath(original) + " (line numbers after conversion to pi's format)"
				}
				a.Out.Printf("%s\n", termsafe.Line(path))
			}
			if n <= 5 || len(list) == 1 {
				a.Out.Printf("  line %d  %s#%d  %s\n", at.Line, termsafe.Line(at.Rule), at.Number, termsafe.Line(at.Path))
			}
		}
		if n > 5 && len(list) > 1 {
			a.Out.Printf("  %s: %s\n", humanize.Count(n-5, "more match"), a.Hint("secrets", f.path))
		}
	}
}
