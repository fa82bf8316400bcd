package servers

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops/past"
)

// mostHookInput is how much of its input the hook reads.
const mostHookInput = 1 << 20

// Recall is the command that agents run as a hook. People do not see it.
func (a *Commands) Recall() *cobra.Command {
	var hook bool
	cmd := &cobra.Command{
		Use:    "recall --hook",
		Short:  "Answer the hook of an agent with earlier sessions",
		Hidden: true,
		Args:   cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !hook {
				return exit.Helpf("pith recall is a hook for agents; see pith install --help")
			}
			a.Quiet = true
			input, err := io.ReadAll(io.LimitReader(a.Env.Stdin, mostHookInput))
			if err != nil {
				return nil
			}
			a.Out.Print(string(past.Recall(cmd.Context(), *a.App(), input)))
			return nil
		},
	}
	cmd.Flags().BoolVar(&hook, "hook", false, "read the JSON of a hook")
	return cmd
}
