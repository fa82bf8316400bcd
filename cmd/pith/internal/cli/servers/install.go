package servers

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

type installFlags struct{ recall, print, remove, yes bool }

// Install is the command that adds pith to the configuration of an agent.
func (a *Commands) Install() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "install AGENT [-- MCP-FLAG...]",
		Short: "Give an agent its history: add pith to its configuration",
		Long: `Add the MCP server of pith to the configuration of an agent, so that it can
search and read past sessions: ` + listed(ops.Clients()) + `.

pith shows the difference and asks first; without a terminal, pass --yes.
Nothing else in the file changes, and a copy of it goes to the trash. Arguments
after -- are passed to "pith mcp".

--recall also adds a hook that reminds the agent of earlier sessions when you
ask something: at most 1 KB, redacted, marked as data.

pi gets an extension with the commands /find and /sessions instead.`,
		Example: `  pith install claude
  pith install codex -- --all
  pith install gemini --recall --yes
  pith install claude --remove`,
		Args: flags.Takes(1, -1, 1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return ops.Clients(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && cmd.ArgsLenAtDash() != 1 {
				return exit.Helpf("unexpected argument %q; see %s --help", args[1], cmd.CommandPath())
			}
			return a.install(cmd.Context(), args[0], args[1:], f)
		},
	}
	cmd.Flags().BoolVar(&f.recall, "recall", false, "also add the hook")
	cmd.Flags().BoolVar(&f.print, "print", false, "print the configuration and change nothing")
	cmd.Flags().BoolVar(&f.remove, "remove", false, "remove the server and the hook")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.Exclusive(cmd, "print", "remove")
	flags.Exclusive(cmd, "recall", "remove")
	return cmd
}

// mostShown is the most lines of a new file that the difference shows.
const mostShown = 60

// listed is a list of names in lines that fit the help.
func listed(names []string) string {
	half := len(names) / 2
	return strings.Join(names[:half], ", ") + ",\n" + strings.Join(names[half:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func (a *Commands) install(ctx context.Context, agent string, serve []string, f installFlags) error {
	p := ops.InstallParams{Agent: agent, Environment: a.Environment(), Recall: f.recall, Remove: f.remove}
	var err error
	if p.Arguments, err = a.mcpArguments(ctx, serve); err != nil {
		return err
	}
	if p.Program, err = os.Executable(); err != nil {
		p.Program = "pith"
	}
	snippets, err := ops.Snippets(p)
	if err != nil {
		return exit.AsUsage(err)
	}
	if f.print {
		for i := range snippets.Files {
			c := &snippets.Files[i]
			if lines := bytes.Count(c.After, []byte("\n")); lines > mostShown {
				a.Note("%s: %d lines", a.ShortPath(c.Path), lines)
				continue
			}
			a.Out.Print(string(c.After))
			a.Note("goes into %s", a.ShortPath(c.Path))
		}
		return nil
	}
	if !f.yes && !a.CanAsk() {
		return exit.Usagef("not a terminal; pass --yes to change the configuration, or --print to see it")
	}
	if p.Trash, err = a.Trash(); err != nil {
		return err
	}
	p.Agree = func(ctx context.Context, plan *ops.Installed) error {
		for i := range plan.Files {
			c := &plan.Files[i]
			if lines := bytes.Count(c.After, []byte("\n")); c.Before == nil && lines > mostShown {
				a.Out.Printf("%s is new: %d lines\n", termsafe.Line(a.ShortPath(c.Path)), lines)
				continue
			}
			a.Out.Print(termsafe.Text(string(c.Patch())))
		}
		if f.yes || len(plan.Files) == 0 {
			return nil
		}
		if err := a.Out.Flush(); err != nil {
			return err
		}
		return a.Confirm(ctx, "change the configuration of "+agent)
	}
	r, err := ops.Install(ctx, p)
	switch {
	case errors.As(err, new(*ops.UnknownAgentError)), errors.As(err, new(*ops.NoHookError)):
		return exit.AsUsage(err)
	case errors.Is(err, ops.ErrReadOnly):
		return err
	case errors.As(err, new(*ops.ConfigError)):
		return exit.Conflictf("%w; %s shows what to add to it", err, a.Hint("install", agent, "--print"))
	case err != nil:
		return err
	case len(r.Files) == 0:
		a.Note("nothing to change")
	}
	for i := range r.Files {
		if c := &r.Files[i]; c.After == nil {
			a.Note("removed %s; it is in the trash: %s", a.ShortPath(c.Path), c.Trash)
		} else if c.Trash != "" {
			a.Note("changed %s; the previous file is in the trash: %s", a.ShortPath(c.Path), c.Trash)
		} else {
			a.Note("wrote %s", a.ShortPath(c.Path))
		}
	}
	return nil
}

// mcpArguments returns the arguments with which a client starts the server, after
// checking the flags of pith mcp among them.
func (a *Commands) mcpArguments(ctx context.Context, given []string) ([]string, error) {
	var f mcpFlags
	cmd := a.mcp(&f)
	if err := cmd.ParseFlags(given); err != nil {
		return nil, exit.AsUsage(err)
	}
	if left := cmd.Flags().Args(); len(left) > 0 {
		return nil, exit.Usagef("pith mcp takes no argument %q", left[0])
	}
	if _, err := a.check(ctx, &f); err != nil {
		return nil, err
	}
	set := flags.Of(cmd).Only("all", "project", "no-redact", "budget")
	if f.project != "" {
		dir, _ := a.ProjectDir(f.project) // it was checked
		set = set.With("project", dir)
	}
	args := set.Arguments("mcp")
	if a.SessionDir != "" {
		args = append(args, "--session-dir", a.SessionDir)
	}
	return args, nil
}
