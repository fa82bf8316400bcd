package lookup

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
)

// A Scope selects the sessions of a command. All commands have the same flags
// for it.
type Scope struct {
	All     bool
	Project string // part of a project's path, or a directory
}

// AddScope adds the flags of a scope to a command. verb describes what the
// command does with sessions.
func (a *Sessions) AddScope(cmd *cobra.Command, s *Scope, verb string) {
	cmd.Flags().BoolVarP(&s.All, "all", "a", false, verb+" the sessions of all projects")
	cmd.Flags().StringVar(&s.Project, "project", "", verb+" the sessions of this `PROJECT`, a directory or part of its path")
	_ = cmd.RegisterFlagCompletionFunc("project", completions{a}.completeProjectFlag) // the flag was just made
}

// Everywhere reports whether the scope includes sessions of other projects.
func (s *Scope) Everywhere() bool { return s.All || s.Project != "" }

// Given reports whether a flag selects sessions.
func (s *Scope) Given() bool { return s.All || s.Project != "" }

// FindProject returns the project directory that a person named: by its path, or by a
// part of the path of a project that has sessions.
func (a *Sessions) FindProject(ctx context.Context, text string) (string, error) {
	dir, missing := a.ProjectDir(text)
	if missing == nil {
		return dir, nil
	}
	infos, err := a.List(ctx, true, false)
	if err != nil {
		return "", err
	}
	within := a.Within(&Scope{Project: text})
	var found []string
	for i := range infos {
		if cwd := infos[i].Cwd; within(cwd) && !slices.Contains(found, cwd) {
			found = append(found, cwd)
		}
	}
	switch len(found) {
	case 0:
		return "", missing
	case 1:
		return found[0], nil
	}
	return "", exit.Ambiguousf("%q matches %d projects: %s; use more of the path", text, len(found), strings.Join(found[:min(len(found), ListedMatches)], ", "))
}

// Within returns a predicate for the working directories of a scope for which
// Everywhere is true.
func (a *Places) Within(s *Scope) func(cwd string) bool {
	if s.Project == "" {
		return func(string) bool { return true }
	}
	cwd, _ := a.Env.Cwd() // without it, paths are parts of paths
	return query.Within(s.Project, cwd)
}
