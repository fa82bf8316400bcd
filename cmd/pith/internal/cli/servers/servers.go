// Package servers implements the commands that serve until they are stopped:
// rpc for programs, mcp for agents, serve for browsers.
package servers

import (
	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
)

// Commands holds the commands of this package.
type Commands struct{ *lookup.Sessions }

func (a *Commands) RPC() *cobra.Command {
	return &cobra.Command{
		Use:   "rpc",
		Short: "Serve the whole API as JSON-RPC",
		Long: `Serve the whole API to programs in any language: JSON-RPC 2.0 on standard input
and output, one message per line. Methods are named like those of pi's
SessionManager and AgentSession; the method "methods" lists them. The server
stops at the end of the input.`,
		Example: `  echo '{"jsonrpc":"2.0","id":1,"method":"listAll"}' | pith rpc`,
		Args:    flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return console.Lost(rpcserver.Serve(cmd.Context(), a.Env.Stdin, a.Env.Stdout, rpcserver.Options{
				App: *a.App(), Version: cmd.Root().Version,
				Setup: func(cwd string) *userconfig.Setup {
					return userconfig.Read(a.Environment(), cwd)
				},
			}))
		},
	}
}
