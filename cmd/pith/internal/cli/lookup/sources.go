package lookup

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
)

// AddSources adds the flag --source, which restricts a command to sessions of
// some agents.
func (a *Sessions) AddSources(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&a.Sources, "source", nil, "only sessions of this `AGENT`, or of several: pi, claude, codex, ...")
	_ = cmd.RegisterFlagCompletionFunc("source", func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		a.SetUp(cmd)
		return a.sourceNames(), cobra.ShellCompDirectiveNoFileComp
	}) // the flag was just made
}

// CheckSources returns an error if --source names an unknown agent.
func (a *Sessions) CheckSources() error {
	var known []string
	for _, name := range a.Sources {
		if known == nil {
			known = a.sourceNames()
		}
		if !slices.Contains(known, name) {
			return exit.Usagef("unknown agent %q; use %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// sourceNames returns the agents whose sessions can be read.
func (a *Sessions) sourceNames() []string { return query.Sources(a.places(), a.Env.Here()) }

// IsForeign reports whether a root, as in catalog.Info.Root, belongs to another
// agent, whose sessions are read-only.
func IsForeign(root string) bool { return ops.AgentTitle(root) != "" }

// NoteUnknown notes that a session has records that pith does not know, once for
// the same kinds.
func (a *Sessions) NoteUnknown(s *pith.Session) {
	if note := ops.UnknownNote(s); note != "" && !slices.Contains(a.Later, "note: "+note) {
		a.NoteLater("note: %s", note)
	}
}

// Name returns the argument that names an open session on a command line: its
// file, or the ID of a session of another agent.
func Name(s *pith.Session) string {
	if s.Header().Source != "" {
		return s.ID()
	}
	return s.File()
}
