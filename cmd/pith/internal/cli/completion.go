package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/project"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands, sessions and entries",
		Long: `Print a script for your shell that completes commands, flags, the ids and names
of sessions, and the ids and labels of entries.`,
		Example: `  source <(pith completion bash)
  pith completion zsh > "${fpath[1]}/_pith"
  pith completion fish > ~/.config/fish/completions/pith.fish
  pith completion powershell | Out-String | Invoke-Expression`,
		Args:                  takes(1, 1, 1),
		ValidArgs:             []cobra.Completion{"bash", "zsh", "fish", "powershell"},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
			return usagef("there is no completion for %q; choose bash, zsh, fish or powershell", args[0])
		},
	}
}

// A completer suggests values for one argument, given those before it.
type completer func(cmd *cobra.Command, args []string, begun string) []cobra.Completion

// completeSession completes the first most arguments as sessions, -1 meaning all
// of them, and the following ones as told.
func (a *app) completeSession(most int, following ...completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		a.setUp(cmd)
		if most < 0 || len(args) < most {
			found := a.completeSessions(cmd, begun)
			if len(found) > 0 {
				return found, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault // a session can be named by its file
		}
		if i := len(args) - most; i < len(following) {
			return following[i](cmd, args, begun), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeSessions suggests ids, and names where a name was begun: those of this
// project, or of all when it has none that fits.
func (a *app) completeSessions(cmd *cobra.Command, begun string) []cobra.Completion {
	a.quiet = true
	here, _, err := a.nearestSessions(cmd.Context())
	if err != nil {
		return nil
	}
	if found := suggestions(here, begun); len(found) > 0 {
		return found
	}
	all, err := a.sessions(cmd.Context(), true, false)
	if err != nil {
		return nil
	}
	return suggestions(all, begun)
}

func suggestions(infos []catalog.Info, begun string) []cobra.Completion {
	short := shortIDs(infos)
	var out []cobra.Completion
	for i := range infos {
		s := &infos[i]
		title := s.Title()
		if id := short[s.ID]; strings.HasPrefix(id, begun) && id == termsafe.Line(id) {
			out = append(out, cobra.CompletionWithDesc(id, termsafe.Fit(title, 60)))
		}
		if begun != "" && strings.HasPrefix(s.Name, begun) && s.Name == termsafe.Line(s.Name) {
			out = append(out, cobra.CompletionWithDesc(s.Name, termsafe.Line(short[s.ID])))
		}
	}
	return out
}

// completeEntries suggests the ids and labels of the session that the first
// argument names: the user's messages and what is labelled when nothing is
// begun, since there may be thousands of others.
func (a *app) completeEntries(cmd *cobra.Command, args []string, begun string) []cobra.Completion {
	a.quiet = true
	s, err := a.openForReading(cmd.Context(), args[0])
	if err != nil {
		return nil
	}
	defer s.Close() // nothing was written
	notes, err := takeNotes(cmd.Context(), s, a.homely)
	if err != nil {
		return nil
	}
	filter := "user-only"
	if begun != "" {
		filter = "all"
	}
	var out []cobra.Completion
	offers := notes.offers(filter)
	for _, node := range outline.New(s.Tree()).Nodes() {
		if !offers(node) {
			continue
		}
		about := notes[node.Pos].gist.Cut(60).String()
		if id := node.ID; strings.HasPrefix(id, begun) && id == termsafe.Line(id) {
			out = append(out, cobra.CompletionWithDesc(id, about))
		}
		if label := node.Label; label != "" && strings.HasPrefix(label, begun) && label == termsafe.Line(label) {
			out = append(out, cobra.CompletionWithDesc(label, about))
		}
	}
	for _, word := range []string{"@leaf", "@root"} {
		if strings.HasPrefix(word, begun) {
			out = append(out, word)
		}
	}
	return out
}

// completeEntryFlag completes a flag whose value is an entry of the session that
// the first argument names.
func (a *app) completeEntryFlag(cmd *cobra.Command, name string) {
	_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		a.setUp(cmd)
		return a.completeEntries(cmd, args, begun), cobra.ShellCompDirectiveNoFileComp
	}) // the flag was just made, so it exists
}

// completeTags suggests the tags that sessions have.
func (a *app) completeTags(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	s, err := a.shelf()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Sorted(maps.Keys(s.Tags())), cobra.ShellCompDirectiveNoFileComp
}

// completeMissing suggests the projects that can be moved, those that are gone,
// and then any folder.
func (a *app) completeMissing(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	a.setUp(cmd)
	a.quiet = true
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	infos, err := a.sessions(cmd.Context(), true, false)
	if err != nil {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	var out []cobra.Completion
	for _, p := range project.Group(infos, project.Options{}) {
		if p.Missing && strings.HasPrefix(p.Dir, begun) && p.Dir == termsafe.Line(p.Dir) {
			out = append(out, cobra.CompletionWithDesc(p.Dir, humanize.Count(len(p.Sessions), "session")))
		}
	}
	if len(out) > 0 {
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeTrash suggests what pith can restore.
func (a *app) completeTrash(args []string) ([]cobra.Completion, cobra.ShellCompDirective) {
	a.quiet = true
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	receipts, err := a.trashed()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, r := range receipts {
		if !r.System {
			out = append(out, cobra.CompletionWithDesc(r.ID, termsafe.Fit(a.homely(r.Path), 60)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
