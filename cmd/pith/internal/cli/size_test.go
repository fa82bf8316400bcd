package cli_test

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
)

// The command fits in the head: at most 40 commands in its help and 150 flags. A global
// flag counts once, and so do the flags for filters, which all commands with a query
// have from one table.
func TestSizeOfTheCommand(t *testing.T) {
	filters := map[string]bool{}
	for _, f := range query.Filters {
		filters[f.Name] = f.Flag
	}
	commands, flags := 0, map[string]bool{}
	var count func(cmd *cobra.Command)
	count = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			switch {
			case f.Hidden || f.Name == "help":
			case cmd.Annotations["query"] != "" && filters[f.Name]:
				flags["filter "+f.Name] = true
			default:
				flags[cmd.CommandPath()+" --"+f.Name] = true
			}
		})
		for _, c := range cmd.Commands() {
			count(c)
		}
	}
	root := cli.Root()
	count(root)
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			commands++
		}
	}
	t.Logf("%d commands, %d flags", commands, len(flags))
	if commands > 40 || len(flags) > 150 {
		t.Errorf("%d commands and %d flags; want at most 40 and 150", commands, len(flags))
	}
}
