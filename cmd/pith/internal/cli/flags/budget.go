package flags

import (
	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
)

// LeastBudget is the smallest budget in tokens.
const LeastBudget = 100

// A Budget is the --budget flag, for agents that pay for every line they read.
type Budget struct {
	tokens int64
	given  func() bool
}

// Add adds the flag to a command.
func (f *Budget) Add(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&f.tokens, "budget", 0, "print at most about `N` tokens")
	f.given = func() bool { return cmd.Flags().Changed("budget") }
}

// Budget returns the budget, or an error if it is too small.
func (f *Budget) Budget() (present.Budget, error) {
	if f.given() && f.tokens < LeastBudget {
		return 0, exit.Usagef("invalid --budget %d: use %d or more", f.tokens, LeastBudget)
	}
	return present.Budget(f.tokens), nil
}
