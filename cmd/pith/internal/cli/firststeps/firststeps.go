// Package firststeps implements the commands for new users: demo, completion,
// skill, version.
package firststeps

import (
	_ "embed"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
)

// Commands are the commands of this package.
type Commands struct{ *lookup.Sessions }

func (a *Commands) Completion() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a shell completion script",
		Long: `Print a script for your shell that completes commands, flags, session IDs and
names, and entry IDs and labels.`,
		Example: `  source <(pith completion bash)
  pith completion zsh > "${fpath[1]}/_pith"
  pith completion fish > ~/.config/fish/completions/pith.fish
  pith completion powershell | Out-String | Invoke-Expression`,
		Args:                  flags.Takes(1, 1, 1),
		ValidArgs:             []cobra.Completion{"bash", "zsh", "fish", "powershell"},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return BashCompletion(root, a.Out)
			case "zsh":
				return root.GenZshCompletion(a.Out)
			case "fish":
				return root.GenFishCompletion(a.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.Out)
			}
			return exit.Usagef("unknown shell %q; use bash, zsh, fish or powershell", args[0])
		},
	}
}

// bashWords splits the command line in bash where the package bash-completion
// is missing. It joins the words that Readline splits at = and :.
//
//go:embed words.bash
var bashWords string

// BashCompletion writes the script for bash. cobra's script needs functions of
// the package bash-completion, so bashWords replaces them where it is missing.
func BashCompletion(root *cobra.Command, w io.Writer) error {
	var script strings.Builder
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	const call = "    _get_comp_words_by_ref \"$@\" cur prev words cword\n"
	_, err := io.WriteString(w, strings.Replace(script.String(), call, bashWords, 1))
	return err
}

// skillText is the skill file, as pith skill prints it.
//
//go:embed skill.md
var skillText string

func (a *Commands) Skill() *cobra.Command {
	return &cobra.Command{
		Use:   "skill",
		Short: "Print a skill that teaches agents to use pith",
		Long: `Print a SKILL.md that teaches a coding agent to find, read, search and check
sessions with pith. Save it where the agent looks for skills, in a directory
named pith.`,
		Example: `  pith skill
  mkdir -p ~/.pi/agent/skills/pith
  pith skill > ~/.pi/agent/skills/pith/SKILL.md`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(*cobra.Command, []string) error {
			a.Out.Print(skillText)
			return nil
		},
	}
}
