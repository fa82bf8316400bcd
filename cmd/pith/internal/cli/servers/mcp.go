package servers

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/mcpserver"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops/past"
)

type mcpFlags struct {
	all, noRedact bool
	project       string
	budget        int
}

func (a *Commands) MCP() *cobra.Command { return a.mcp(&mcpFlags{}) }

func (a *Commands) mcp(f *mcpFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let agents read past sessions (MCP server)",
		Long: `Run a Model Context Protocol server on standard input and output, with the
read-only tools search, sessions, outline, read, tree, context, files and blame.
It serves the sessions of this project, except the one the agent is in.
Secrets are replaced, recorded text is marked as such, and every answer fits its
token budget.

"pith install" adds it to the configuration of an agent.`,
		Example: `  pith mcp --all
  pith mcp --project ~/work/app --budget 4000`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.serveMCP(cmd, f)
		},
	}
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "serve the sessions of all projects")
	cmd.Flags().StringVar(&f.project, "project", "", "serve the sessions of this `PROJECT`, a directory or part of its path")
	_ = cmd.MarkFlagDirname("project") // the flag was just made
	cmd.Flags().BoolVar(&f.noRedact, "no-redact", false, "do not replace secrets")
	cmd.Flags().IntVar(&f.budget, "budget", mcpserver.DefaultBudget, "default limit of an answer, in `N` tokens")
	return cmd
}

// check rejects flags that contradict each other, and returns the project.
func (a *Commands) check(ctx context.Context, f *mcpFlags) (project string, err error) {
	if f.budget < mcpserver.LeastBudget || f.budget > mcpserver.MostBudget {
		return "", exit.Usagef("invalid --budget %d: use %d to %d", f.budget, mcpserver.LeastBudget, mcpserver.MostBudget)
	}
	if f.all && f.project != "" {
		return "", exit.Usagef("--all and --project cannot be used together")
	}
	switch {
	case f.all || a.SessionDir != "" && f.project == "":
		return "", a.CheckSessionDir()
	case f.project != "":
		return a.FindProject(ctx, f.project)
	}
	return a.Cwd()
}

// askingVariables are the environment variables in which agents pass their
// session to the servers that they start: pi, and Claude Code since 2.1.154.
// Codex sends it with every call.
var askingVariables = []string{"PI_SESSION_ID", "PI_SESSION_FILE", "CLAUDE_CODE_SESSION_ID"}

func (a *Commands) serveMCP(cmd *cobra.Command, f *mcpFlags) error {
	project, err := a.check(cmd.Context(), f)
	if err != nil {
		return err
	}
	asking := ""
	for _, name := range askingVariables {
		asking = cmp.Or(asking, a.Env.Getenv(name))
	}
	return console.Lost(mcpserver.Serve(cmd.Context(), a.Env.Stdin, a.Env.Stdout, mcpserver.Options{
		Options: past.Options{App: *a.App(), Project: project, Whole: f.noRedact, Asking: asking},
		Budget:  f.budget, Version: cmd.Root().Version,
	}))
}
