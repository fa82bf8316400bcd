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

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
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
	cmd.Flags().StringVar(&f.source, "source", "", "import the sessions of `AGENT`: "+strings.Join(ops.Agents(), ", "))
	cmd.Flags().BoolVar(&f.all, "all", false, "import the sessions of all projects; without --source, of all agents")
	cmd.Flags().StringVar(&f.project, "project", "", "with --source: import the sessions of this `PROJECT`, a directory or part of its path")
	flags.Exclusive(cmd, "all", "project")
	_ = cmd.MarkFlagDirname("project")                                                                                     // the flag was just made
	_ = cmd.RegisterFlagCompletionFunc("source", cobra.FixedCompletions(ops.Agents(), cobra.ShellCompDirectiveNoFileComp)) // likewise
	return cmd
}

func programTitles() string {
	var titles []string
	for _, name := range ops.Agents() {
		if name != team.Name { // no agent
			titles = append(titles, ops.AgentTitle(name))
		}
	}
	return strings.Join(titles[:len(titles)-1], ", ") + " or " + titles[len(titles)-1]
}

func (a *Commands) imports(ctx context.Context, refs []string, f *importFlags) error {
	p, err := a.chosen(ctx, refs, f)
	if err != nil {
		return err
	}
	if err := errors.Join(a.CheckSessionDir(), a.CheckSources()); err != nil {
		return err
	}
	n, each, err := ops.Import(ctx, a.App(), p)
	if err != nil {
		return err
	}
	if n == 0 {
		if f.source == "" {
			return exit.Missingf("no sessions of other agents found")
		}
		return exit.Missingf("no %s sessions found; pith ls --all --source %s lists them", f.source, f.source)
	}
	var failed []error
	var sum importSum
	for r, err := range each {
		if err == nil {
			sum.add(&r)
			if a.JSON || !f.all || r.Added > 0 {
				err = a.printImported(&r)
			}
		}
		if err != nil {
			failed = append(failed, lookup.Shorten(err))
		}
	}
	if !a.JSON && (f.all || sum.sessions() > 1) {
		a.Note("%s", sum)
	}
	return errors.Join(failed...)
}

// An importSum counts imported sessions.
type importSum struct{ created, extended, current, entries int }

func (s *importSum) add(r *ops.Imported) {
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

// chosen returns which sessions the command line selects.
func (a *Commands) chosen(ctx context.Context, refs []string, f *importFlags) (p ops.ImportParams, err error) {
	switch {
	case len(refs) > 0 && (f.source != "" || f.all):
		return p, exit.Usagef("SESSION and --source or --all cannot be used together")
	case len(refs) > 0:
		p.Sessions, err = a.LocateAll(ctx, refs)
	case f.source == "" && !f.all:
		return p, exit.Helpf("missing SESSION, --source AGENT or --all; see pith import --help")
	case f.source != "" && !slices.Contains(ops.Agents(), f.source):
		return p, exit.Usagef("unknown agent %q; use %s", f.source, strings.Join(ops.Agents(), ", "))
	default:
		p.Source = f.source
		p.In, err = a.inProject(f)
	}
	return p, err
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

func (a *Commands) printImported(r *ops.Imported) error {
	if a.JSON {
		return a.Out.JSON(r)
	}
	what := "created"
	switch {
	case r.Added == 0:
		what = "up to date"
	case !r.Created:
		what = humanize.Count(r.Added, "entry") + " added"
	}
	a.Out.Print(termsafe.Line(fmt.Sprintf("%s  %s  %s", r.ID, what, r.Title)) + "\n")
	return nil
}
