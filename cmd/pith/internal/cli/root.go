package cli

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/agents"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/askmodel"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/edit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/files"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/firststeps"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/fullscreen"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/housekeep"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/list"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/repair"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/servers"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/share"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/show"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/team"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/internal/near"
)

// The groups in which help lists the commands.
const (
	groupRead      = "read"
	groupContinue  = "continue"
	groupShare     = "share"
	groupMaintain  = "maintain"
	groupTeam      = "team"
	groupIntegrate = "integrate"
)

const rootHelp = `Search, branch, repair and share the sessions of coding agents.

SESSION is a file, an ID or its start or end, a name, or @ for the newest one of
this project (@2 for the one before, and so on). ENTRY is an ID or its start, a
label, @leaf for the current entry, or @root.`

const rootExample = `  pith                      browse the sessions of this project
  pith @                    open the newest one
  pith 019d8c38             open a session by its ID
  pith search linker error  search all sessions
  pith tree @               show the branches of a session
  pith demo                 try it on sample sessions`

// Help lists commands in the order in which they are added below.
func init() { cobra.EnableCommandSorting = false }

const helpWidth = "80"

// A command is a row in the table of commands.
type command struct {
	group string
	make  func() *cobra.Command
	words string // for it in other programs
	is    attributes
}

// Attributes of commands.
type attributes uint8

const (
	pages attributes = 1 << iota // the output goes through a pager
	keeps                        // it keeps sessions open for a person or a program, and needs time to close them
	texts                        // the result has no form in JSON
)

// has reports whether a command has an attribute.
func has(cmd *cobra.Command, want attributes) bool {
	n, _ := strconv.Atoi(cmd.Annotations[attributesKey]) // 0 for a command below another one
	return attributes(n)&want != 0
}

const attributesKey = "attributes"

// rootCommand returns pith with all its commands.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "pith [SESSION]",
		Short:         "Search, branch, repair and share coding-agent sessions",
		Long:          rootHelp,
		Example:       rootExample,
		Version:       firststeps.CurrentVersion().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs, // a session, or a mistyped command
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.SetUp(cmd)
			cwd, _ := a.Env.Cwd() // without it, only the project's settings are missing
			userconfig.UsePrices(a.Environment(), cwd)
			if a.JSON && (has(cmd, texts) || !cmd.HasParent()) {
				return exit.Helpf("%s has no JSON output; see %[1]s --help", cmd.CommandPath())
			}
			return flags.NoneEmpty(cmd)
		},
	}
	var (
		app               = &fullscreen.App{Sessions: a.Sessions}
		conversations     = &askmodel.Conversations{Sessions: a.Sessions}
		listCommands      = &list.Commands{Sessions: a.Sessions}
		showCommands      = &show.Commands{Sessions: a.Sessions}
		editCommands      = &edit.Commands{Conversations: conversations}
		modelCommands     = &askmodel.Commands{Conversations: conversations}
		housekeepCommands = &housekeep.Commands{Sessions: a.Sessions}
		repairCommands    = &repair.Commands{Sessions: a.Sessions}
		shareCommands     = &share.Commands{Sessions: a.Sessions}
		startCommands     = &firststeps.Commands{Sessions: a.Sessions}
		serverCommands    = &servers.Commands{Sessions: a.Sessions}
		teamCommands      = &team.Commands{Sessions: a.Sessions, Open: showCommands.OpenSession}
		agentCommands     = &agents.Commands{Sessions: a.Sessions}
		fileCommands      = &files.Commands{Sessions: a.Sessions}
		resume, newest    bool
	)
	root.Flags().BoolVarP(&resume, "resume", "r", false, "choose a session in the terminal app")
	root.Flags().BoolVarP(&newest, "continue", "c", false, "open the newest session of this project; same as pith @")
	flags.Exclusive(root, "resume", "continue")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && (newest || resume) {
			return exit.Helpf("unexpected argument %q; see pith --help", args[0])
		}
		if len(args) == 1 {
			err := showCommands.OpenSession(cmd.Context(), args[0])
			if errors.Is(err, ops.ErrNotFound) && !isRecency(args[0]) && !lookup.IsPath(args[0]) {
				return a.unknownWord(cmd.Context(), cmd, args[0])
			}
			return err
		}
		if len(args) > 1 {
			return unknownCommand(cmd, args)
		}
		if newest {
			return showCommands.OpenSession(cmd.Context(), "@")
		}
		if resume || app.CanShow() {
			return app.Show(cmd.Context(), fullscreen.View{})
		}
		any, err := listCommands.Overview(cmd.Context())
		if err != nil || any {
			return err
		}
		return startCommands.FirstContact(cmd.Context(), listCommands.PrintNearest)
	}
	root.PersistentFlags().StringVar(&a.SessionDir, "session-dir", "", "use the session files in `DIR`")
	_ = root.MarkPersistentFlagDirname("session-dir") // the flag was just made
	root.PersistentFlags().BoolVar(&a.Force, "ignore-open", false, "write to a session even if another program has it open")
	root.PersistentFlags().BoolVar(&a.NoColor, "no-color", false, "print without colors")
	root.PersistentFlags().BoolVar(&a.JSON, "json", false, "print JSON")
	root.PersistentFlags().BoolP("help", "h", false, "show help")
	root.Flags().BoolP("version", "v", false, "print the version")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", "Flags.FlagUsagesWrapped "+helpWidth))
	root.SetVersionTemplate("pith {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddGroup(
		&cobra.Group{ID: groupRead, Title: "Find and read:"},
		&cobra.Group{ID: groupContinue, Title: "Continue and branch:"},
		&cobra.Group{ID: groupShare, Title: "Share:"},
		&cobra.Group{ID: groupMaintain, Title: "Maintain:"},
		&cobra.Group{ID: groupTeam, Title: "Team:"},
		&cobra.Group{ID: groupIntegrate, Title: "Integrate:"},
	)
	root.SetHelpCommandGroupID(groupIntegrate)
	commands := []command{
		{groupRead, listCommands.Ls, "list sessions projects", 0},
		{groupRead, listCommands.Search, "grep find rg", 0},
		{groupRead, app.Pick, "", texts},
		{groupRead, showCommands.Show, "cat read log less", pages},
		{groupRead, showCommands.Tree, "", pages},
		{groupRead, showCommands.Diff, "", pages},
		{groupRead, showCommands.Context, "", pages},
		{groupRead, showCommands.Subagents, "", 0},
		{groupRead, fileCommands.Blame, "", 0},
		{groupRead, fileCommands.Files, "", 0},
		{groupRead, listCommands.Usage, "cost costs stats spend", 0},
		{groupRead, serverCommands.Serve, "", keeps},
		{groupRead, startCommands.Demo, "", 0},
		{groupContinue, editCommands.New, "", 0},
		{groupContinue, editCommands.Append, "", 0},
		{groupContinue, modelCommands.Prompt, "", keeps},
		{groupContinue, editCommands.Branch, "checkout goto switch branches", 0},
		{groupContinue, fileCommands.Rewind, "", 0},
		{groupContinue, modelCommands.Compact, "", 0},
		{groupContinue, editCommands.Fork, "", 0},
		{groupContinue, editCommands.Name, "rename title", 0},
		{groupContinue, editCommands.Label, "", 0},
		{groupContinue, agentCommands.Handover, "", texts},
		{groupContinue, agentCommands.Import, "", 0},
		{groupShare, shareCommands.Export, "share html publish", 0},
		{groupShare, shareCommands.Secrets, "", 0},
		{groupMaintain, repairCommands.Doctor, "check fix repair fsck migrate", 0},
		{groupMaintain, housekeepCommands.Mark, "pin archive tag star", 0},
		{groupMaintain, housekeepCommands.Gc, "clean prune", 0},
		{groupMaintain, housekeepCommands.Move, "mv", 0},
		{groupMaintain, housekeepCommands.Rm, "delete remove del", 0},
		{groupMaintain, housekeepCommands.TrashCommand, "undelete restore", 0},
		{groupTeam, teamCommands.Team, "", 0},
		{groupIntegrate, serverCommands.Install, "", texts},
		{groupIntegrate, serverCommands.MCP, "", keeps | texts},
		{groupIntegrate, serverCommands.Recall, "", texts},
		{groupIntegrate, serverCommands.RPC, "", keeps | texts},
		{groupIntegrate, startCommands.Skill, "", texts},
		{groupIntegrate, startCommands.Completion, "", texts},
		{groupIntegrate, startCommands.Version, "", 0},
	}
	for _, c := range commands {
		cmd := c.make()
		cmd.GroupID, cmd.SuggestFor = c.group, strings.Fields(c.words)
		if cmd.Annotations == nil {
			cmd.Annotations = map[string]string{}
		}
		cmd.Annotations[attributesKey] = strconv.Itoa(int(c.is))
		if cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		root.AddCommand(cmd)
	}
	root.InitDefaultHelpCmd()
	root.ValidArgsFunction = func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if prefix == "" {
			return nil, cobra.ShellCompDirectiveNoFileComp // the commands are enough
		}
		return a.CompleteSession(1)(cmd, args, prefix)
	}
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Use, c.Short, c.Long, c.Args = "help [COMMAND]", "Show help for a command", "Show help for pith or for one command.", knownTopic
			c.Example = "  pith help\n  pith help ls"
			c.Annotations = map[string]string{attributesKey: strconv.Itoa(int(pages | texts))}
		}
	}
	return root
}

// knownTopic rejects help about an unknown command.
func knownTopic(cmd *cobra.Command, args []string) error {
	if _, rest, err := cmd.Root().Find(args); err != nil || len(rest) > 0 {
		return unknownCommand(cmd.Root(), args)
	}
	return nil
}

// opening are words of other programs for pith SESSION.
var opening = []string{"open", "resume", "continue", "view"}

// isRecency reports whether an argument is @ or @N, which pith opens.
func isRecency(arg string) bool {
	rest, ok := strings.CutPrefix(arg, "@")
	return ok && strings.Trim(rest, "0123456789") == ""
}

// looksLikeID reports whether an argument can be the ID of a session, or a file.
func looksLikeID(arg string) bool {
	return lookup.IsPath(arg) || len(arg) >= 4 && strings.Trim(arg, "0123456789abcdef-") == ""
}

// unknownCommand says that a word is not a command, and suggests the nearest one.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || len(args) == 1 && isRecency(args[0]) {
		return nil
	}
	if near := nearCommand(cmd, args[0]); near != "" {
		return exit.Helpf("unknown command %q; did you mean pith %s? see pith --help", args[0], near)
	}
	return exit.Helpf("unknown command %q; see pith --help", args[0])
}

// nearCommand returns the command that a word probably means, or "".
func nearCommand(root *cobra.Command, word string) string {
	if slices.Contains(opening, word) {
		return "SESSION"
	}
	var names []string
	for _, c := range root.Commands() {
		if slices.Contains(c.SuggestFor, word) {
			return c.Name()
		}
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	return near.Word(word, names)
}

// unknownWord is unknownCommand for a single word, which may be a session as well.
func (a *app) unknownWord(ctx context.Context, root *cobra.Command, word string) error {
	var meant []string
	if near := nearCommand(root, word); near != "" {
		meant = append(meant, "pith "+near)
	}
	if near := a.NearSession(ctx, word); near != "" {
		meant = append(meant, lookup.Command("pith", near))
	}
	if len(meant) == 0 {
		return exit.Helpf("unknown command or session %q; see pith --help", word)
	}
	return exit.Helpf("unknown command or session %q; did you mean %s? see pith --help", word, strings.Join(meant, " or "))
}
