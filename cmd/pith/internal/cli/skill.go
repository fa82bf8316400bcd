package cli

import (
	_ "embed"

	"github.com/spf13/cobra"
)

// skillText is the skill file, as pith skill prints it.
//
//go:embed skill.md
var skillText string

func (a *app) skillCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "skill",
		Short: "Print a skill file that teaches an agent to use pith",
		Long: `Print a skill in the agent skills format: a SKILL.md that teaches a coding agent to
find, read, search and check sessions with pith. Put it where the agent looks
for skills, in a folder named pith.`,
		Example: `  pith skill
  mkdir -p ~/.pi/agent/skills/pith && pith skill > ~/.pi/agent/skills/pith/SKILL.md`,
		Args: takes(0, 0, 0),
		RunE: func(*cobra.Command, []string) error {
			a.out.print(skillText)
			return nil
		},
	}
}
