// Package agents implements the commands for sessions of other coding agents:
// import and handover.
package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/importer"
	"github.com/pith-sessions/pith/internal/sources/team"
)

// Commands are the commands of this package.
type Commands struct{ *lookup.Sessions }

type importFlags struct {
	source, project string
	all             bool
}

func (a *Commands) Import() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import [SESSION]...",
		Short: "Convert another agent's sessions to pi sessions",
		Long: `Convert sessions of another agent to pi sessions:
` + programTitles() + `.
Branches, tool calls, results, images, thinking, compactions, names and subagent
sessions are kept. The originals are not changed.

--all imports every session of every agent, and keeps them when an agent deletes
its own.

Import a session again to add new entries. If it was continued in both agents,
the imported session gets both branches and keeps its current entry.`,
		Example: `  pith import 1f0c9a3e
  pith import --all
  pith import --source claude --project .
  pith import --source codex --all`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.CompleteSession(-1),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.imports(cmd.Context(), args, &f) },
	}
	cmd.Flags().StringVar(&f.source, "source", "", "import the sessions of `AGENT`: "+strings.Join(programNames(), ", "))
	cmd.Flags().BoolVar(&f.all, "all", false, "import the sessions of all projects; without --source, of all agents")
	cmd.Flags().StringVar(&f.project, "project", "", "with --source: import the sessions of this `PROJECT`, a directory or part of its path")
	flags.Exclusive(cmd, "all", "project")
	_ = cmd.MarkFlagDirname("project")                                                                                       // the flag was just made
	_ = cmd.RegisterFlagCompletionFunc("source", cobra.FixedCompletions(programNames(), cobra.ShellCompDirectiveNoFileComp)) // likewise
	return cmd
}

func programNames() (names []string) {
	for _, p := range all.Programs() {
		names = append(names, p.Name())
	}
	return names
}

func programTitles() string {
	var titles []string
	for _, p := range all.Programs() {
		if p.Name() != team.Name { // no agent
			titles = append(titles, p.Title())
		}
	}
	return strings.Join(titles[:len(titles)-1], ", ") + " or " + titles[len(titles)-1]
}

// imported is an imported session in JSON.
type imported struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Source  string `json:"source"`
	Created bool   `json:"created"`
	Added   int    `json:"added"`
}

func (a *Commands) imports(ctx context.Context, refs []string, f *importFlags) error {
	infos, err := a.List(ctx, true, true)
	if err != nil {
		return err
	}
	chosen, err := a.choose(ctx, infos, refs, f)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		if f.source == "" {
			return exit.Missingf("no sessions of other agents found")
		}
		return exit.Missingf("no %s sessions found; pith ls --all --source %s lists them", f.source, f.source)
	}
	o := importer.Options{DirFor: a.dirFor, Find: importer.Among(infos)}
	var failed []error
	var sum importSum
	for _, info := range chosen {
		r, err := importer.Import(ctx, info.Path, o)
		switch {
		case errors.Is(err, importer.ErrNotForeign):
			err = exit.Usagef("%s is already a pi session", info.ID)
		case err == nil:
			sum.add(&r)
			if a.JSON || !f.all || r.Added > 0 {
				err = a.printImported(&info, &r, a.JSON)
			}
		}
		if err != nil {
			failed = append(failed, lookup.Shorten(err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	if !a.JSON && (f.all || sum.sessions() > 1) {
		a.Note("%s", sum)
	}
	return errors.Join(failed...)
}

// An importSum counts imported sessions.
type importSum struct{ created, extended, current, entries int }

func (s *importSum) add(r *importer.Result) {
	s.entries += r.Added
	switch {
	case r.Created:
		s.created++
	case r.Added > 0:
		s.extended++
	default:
		s.current++
	}
}

func (s importSum) sessions() int { return s.created + s.extended + s.current }

func (s importSum) String() string {
	return fmt.Sprintf("%s: %d created, %d with new entries, %d up to date; %s added",
		humanize.Count(s.sessions(), "session"), s.created, s.extended, s.current, humanize.Count(s.entries, "entry"))
}

// choose returns the sessions to import, including those of their subagents.
func (a *Commands) choose(ctx context.Context, infos []catalog.Info, refs []string, f *importFlags) ([]catalog.Info, error) {
	var chosen []catalog.Info
	switch {
	case len(refs) > 0 && (f.source != "" || f.all):
		return nil, exit.Usagef("SESSION and --source or --all cannot be used together")
	case len(refs) > 0:
		found, err := a.LocateAll(ctx, refs)
		if err != nil {
			return nil, err
		}
		for _, ref := range found {
			i := slices.IndexFunc(infos, func(info catalog.Info) bool { return info.Path == ref.Path })
			if i >= 0 {
				chosen = append(chosen, infos[i])
				continue
			}
			if ops.Original(ref.Path) == "" {
				return nil, exit.Usagef("%s is not a session of another agent", ref.Path)
			}
			info, err := catalog.Facts(ctx, ref, a.Listing()) // a copy of one
			if err != nil {
				return nil, err
			}
			chosen = append(chosen, info)
		}
	case f.source == "" && !f.all:
		return nil, exit.Helpf("missing SESSION, --source AGENT or --all; see pith import --help")
	default:
		if _, ok := all.Find(f.source); !ok && f.source != "" {
			return nil, exit.Usagef("unknown agent %q; use %s", f.source, strings.Join(programNames(), ", "))
		}
		at, err := a.inProject(f)
		if err != nil {
			return nil, err
		}
		for _, info := range infos {
			if _, foreign := all.Find(info.Root); foreign && (f.source == "" || info.Root == f.source) && at(info.Cwd) {
				chosen = append(chosen, info)
			}
		}
	}
	have := map[string]bool{}
	for i := range chosen {
		have[chosen[i].Path] = true
	}
	for n := 0; n < len(chosen); n++ { // children of children too
		for _, info := range infos {
			if info.Root == chosen[n].Root && info.ParentSession == chosen[n].Path && !have[info.Path] && isSubagent(&info) {
				have[info.Path] = true
				chosen = append(chosen, info)
			}
		}
	}
	return chosen, nil
}

// isSubagent reports whether a session was started by another one, not forked from it.
func isSubagent(info *catalog.Info) bool {
	return info.Internal || lookup.IsSpawned(info.Path)
}

func (a *Commands) inProject(f *importFlags) (func(cwd string) bool, error) {
	if f.all {
		return func(string) bool { return true }, nil
	}
	if f.project != "" {
		return a.Within(&lookup.Scope{Project: f.project}), nil
	}
	dir, err := a.ProjectDir("")
	if err != nil {
		return nil, err
	}
	return lookup.ProjectAt(dir), nil
}

// dirFor returns the directory for new sessions of a working directory.
func (a *Commands) dirFor(cwd string) string {
	if a.SessionDir != "" {
		return a.SessionDir
	}
	return a.Environment().Place(cwd).For(cwd)
}

func (a *Commands) printImported(info *catalog.Info, r *importer.Result, asJSON bool) error {
	if asJSON {
		return a.Out.JSON(imported{ID: r.ID, Path: r.Path, Source: info.Root, Created: r.Created, Added: r.Added})
	}
	what := "created"
	switch {
	case r.Added == 0:
		what = "up to date"
	case !r.Created:
		what = humanize.Count(r.Added, "entry") + " added"
	}
	a.Out.Print(termsafe.Line(fmt.Sprintf("%s  %s  %s", r.ID, what, info.Title())) + "\n")
	return nil
}
