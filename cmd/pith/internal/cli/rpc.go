package cli

import (
	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/housekeeping/marks"
	"github.com/pith-sessions/pith/sessiondir"
)

func (a *app) rpcCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rpc",
		Short: "Serve the whole API as JSON-RPC on standard input and output",
		Long: `Serve the whole API to a program in any language: JSON-RPC 2.0, one message a
line, requests on standard input, replies on standard output. The methods have
the names of pi's SessionManager and AgentSession; the method "methods" lists
them. The end of the input ends the server in good order.`,
		Example: `  echo '{"jsonrpc":"2.0","id":1,"method":"listAll"}' | pith rpc`,
		Args:    takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return lost(rpcserver.Serve(cmd.Context(), a.env.Stdin, a.env.Stdout, rpcserver.Options{
				Dir: a.sessionDir, Version: currentVersion().Version, Now: a.env.Now, Index: a.sessionIndex,
				Marks: func() func(string) marks.Marks {
					of, _ := a.readMarks() // what cannot be read counts as none
					return of
				},
				Setup: func(cwd string) *userconfig.Setup {
					return userconfig.Read(sessiondir.Environment{Getenv: a.env.Getenv, Home: a.env.home()}, cwd)
				},
			}))
		},
	}
}
