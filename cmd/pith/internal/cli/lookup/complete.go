package lookup

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/entrytree"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// A completer suggests values for one argument, given those before it.
type completer func(cmd *cobra.Command, args []string, prefix string) []cobra.Completion

// CompleteSession completes the first most arguments as sessions, or all if
// most is -1, and the following ones with their completers.
func (a *Sessions) CompleteSession(most int, following ...completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		a.SetUp(cmd)
		if most < 0 || len(args) < most {
			found := completions{a}.completeSessions(cmd, prefix)
			if len(found) > 0 {
				return found, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault // a file can name a session
		}
		if i := len(args) - most; i < len(following) {
			return following[i](cmd, args, prefix), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completions suggest sessions and projects.
type completions struct{ *Sessions }

// completeSessions suggests IDs, or names if the word begins like one: those of
// this project, or of all projects if none of this one matches.
func (a completions) completeSessions(cmd *cobra.Command, prefix string) []cobra.Completion {
	a.Quiet = true
	here, _, err := a.Nearest(cmd.Context())
	if err != nil {
		return nil
	}
	if found := a.suggestions(cmd.Context(), here, prefix); len(found) > 0 {
		return found
	}
	all, err := a.List(cmd.Context(), true, false)
	if err != nil {
		return nil
	}
	return a.suggestions(cmd.Context(), all, prefix)
}

func (a completions) suggestions(ctx context.Context, infos []catalog.Info, prefix string) []cobra.Completion {
	short := a.ShortIDs(ctx, infos)
	var out []cobra.Completion
	for i := range infos {
		s := &infos[i]
		title := s.Title()
		if id := short[s.ID]; strings.HasPrefix(id, prefix) && id == termsafe.Line(id) {
			out = append(out, cobra.CompletionWithDesc(id, termsafe.Fit(title, 60)))
		}
		if prefix != "" && strings.HasPrefix(s.Name, prefix) && s.Name == termsafe.Line(s.Name) {
			out = append(out, cobra.CompletionWithDesc(s.Name, termsafe.Line(short[s.ID])))
		}
	}
	return out
}

// CompleteEntries suggests the IDs and labels of entries of the session that
// the first argument names. Without a prefix it suggests only user messages
// and labeled entries, since there may be thousands of others.
func (a *Sessions) CompleteEntries(cmd *cobra.Command, args []string, prefix string) []cobra.Completion {
	a.Quiet = true
	s, err := a.OpenForReading(cmd.Context(), args[0])
	if err != nil {
		return nil
	}
	defer s.Close() // nothing was written
	filter := outline.UserOnly
	if prefix != "" {
		filter = outline.All
	}
	t, err := entrytree.Read(cmd.Context(), s, func(v *pith.View, pos int, silent bool) bool {
		e := v.At(pos)
		return e.Label != "" || filter.Keeps(e.Type, e.Role, func() string { return e.Label }) && !silent
	}, a.ShortPath)
	if err != nil {
		return nil
	}
	lines, err := t.Lines(t.All())
	if err != nil {
		return nil
	}
	v := s.View()
	var out []cobra.Completion
	for i, row := range t.Rows.All(0, t.Rows.Len()) {
		e, about := v.At(row.Pos), lines[i].Cut(60).String()
		if id := e.ID; strings.HasPrefix(id, prefix) && id == termsafe.Line(id) {
			out = append(out, cobra.CompletionWithDesc(id, about))
		}
		if label := e.Label; label != "" && strings.HasPrefix(label, prefix) && label == termsafe.Line(label) {
			out = append(out, cobra.CompletionWithDesc(label, about))
		}
	}
	for _, word := range []string{"@leaf", "@root"} {
		if strings.HasPrefix(word, prefix) {
			out = append(out, word)
		}
	}
	return out
}

// CompleteProjects suggests projects with sessions: by path if the word begins
// like one, otherwise by the last element of the path.
func (a *Sessions) CompleteProjects(cmd *cobra.Command, prefix string) []cobra.Completion {
	a.SetUp(cmd)
	a.Quiet = true
	infos, _ := a.List(cmd.Context(), true, false) // those before an error
	byPath := filepath.IsAbs(prefix)
	var out []cobra.Completion
	seen := map[string]bool{}
	for i := range infos {
		dir := infos[i].Cwd
		name, about := filepath.Base(dir), dir
		if byPath {
			name, about = dir, ""
		}
		if dir == "" || seen[name] || !strings.HasPrefix(name, prefix) || dir != termsafe.Line(dir) {
			continue
		}
		seen[name] = true
		out = append(out, cobra.CompletionWithDesc(name, about))
	}
	return out
}

// completeProjectFlag suggests projects, or directories if no project matches.
func (a completions) completeProjectFlag(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if found := a.CompleteProjects(cmd, prefix); len(found) > 0 {
		return found, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// CompleteModels suggests the models that sessions used last.
func (a *Sessions) CompleteModels(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	a.SetUp(cmd)
	a.Quiet = true
	infos, _ := a.List(cmd.Context(), true, false) // those before an error
	var out []cobra.Completion
	for i := range infos {
		if m := infos[i].Model; m != "" && m == termsafe.Line(m) && strings.HasPrefix(m, prefix) && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// CompleteEntryFlag completes a flag whose value is an entry of the session that
// the first argument names.
func (a *Sessions) CompleteEntryFlag(cmd *cobra.Command, name string) {
	_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		a.SetUp(cmd)
		return a.CompleteEntries(cmd, args, prefix), cobra.ShellCompDirectiveNoFileComp
	}) // the flag was just made, so it exists
}
