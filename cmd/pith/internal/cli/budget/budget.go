// Package budget limits the output of a command to a number of tokens, for
// agents that pay for every line they read.
package budget

import (
	"bytes"
	"sort"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/inspect"
)

// Least is the smallest budget in tokens.
const Least = 100

// A Flag is the --budget flag. Without it, output is not limited.
type Flag struct {
	tokens int64
	given  func() bool
}

// Add adds the flag to a command.
func (f *Flag) Add(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&f.tokens, "budget", 0, "print at most about `N` tokens")
	f.given = func() bool { return cmd.Flags().Changed("budget") }
}

// Given reports whether there is a budget.
func (f *Flag) Given() bool { return f.given != nil && f.given() }

// Check rejects a budget that is too small.
func (f *Flag) Check() error {
	if f.Given() && f.tokens < Least {
		return exit.Usagef("invalid --budget %d: use %d or more", f.tokens, Least)
	}
	return nil
}

// Print prints as many elements of a list as fit, but at least one, and returns
// their number. print prints the first n of them to the console's output, and
// nothing else.
func (f *Flag) Print(c *console.Console, total int, print func(n int) error) (shown int, err error) {
	if !f.Given() || total == 0 {
		return total, print(total)
	}
	shown = sort.Search(total, func(i int) bool {
		if err != nil {
			return true
		}
		var text string
		text, err = Captured(c, func() error { return print(i + 1) })
		return inspect.Tokens(text) > f.tokens
	})
	if err != nil {
		return 0, err
	}
	shown = max(1, shown)
	return shown, print(shown)
}

// Captured returns what do prints to the console's output.
func Captured(c *console.Console, do func() error) (string, error) {
	out := c.Out
	defer func() { c.Out = out }()
	var text bytes.Buffer
	c.Out = console.NewOutput(&text, out.Terminal)
	if err := do(); err != nil {
		return "", err
	}
	err := c.Out.Flush()
	return text.String(), err
}
