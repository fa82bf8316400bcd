package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/agents"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/askmodel"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/chat"
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
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/team"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// The groups in which help lists the commands.
const (
	groupRead  = "read"
	groupWrite = "write"
	groupFiles = "files"
	groupTeam  = "team"
	groupMore  = "more"
)

const rootHelp = `pith reads, branches and edits the sessions of coding agents: append-only
conversation trees in JSONL files, as pi and its relatives keep them.

A SESSION is named by its file, its id or the beginning or end of it, its exact
name, or @ for the newest one of this project (@2 for the one before, and so
on). An ENTRY is named by its id or the beginning of it, its label, @leaf or
@root.`

const rootExample = `  pith                      the sessions of this project
  pith @                    open the newest one
  pith show                 read it
  pith tree                 its branches
  pith context              what the model sees
  pith demo                 sample sessions to try all this on`

// helpWidth is the width of help.
const helpWidth = "80"

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "pith",
		Short:         "Read, branch and edit the sessions of coding agents",
		Long:          rootHelp,
		Example:       rootExample,
		Version:       firststeps.CurrentVersion().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.SetUp(cmd)
			if err := flags.NoneEmpty(cmd); err != nil {
				return err
			}
			return a.chooseStore(cmd)
		},
	}
	var (
		app          = &fullscreen.App{Sessions: a.Sessions}
		talks        = &askmodel.Conversations{Sessions: a.Sessions}
		lists        = &list.Commands{Sessions: a.Sessions}
		reads        = &show.Commands{Sessions: a.Sessions}
		edits        = &edit.Commands{Conversations: talks}
		asks         = &askmodel.Commands{Conversations: talks}
		chats        = &chat.Commands{Conversations: talks}
		keeps        = &housekeep.Commands{Sessions: a.Sessions}
		mends        = &repair.Commands{Sessions: a.Sessions}
		shares       = &share.Commands{Sessions: a.Sessions}
		starts       = &firststeps.Commands{Sessions: a.Sessions}
		serves       = &servers.Commands{Sessions: a.Sessions}
		teams        = &team.Commands{Sessions: a.Sessions}
		others       = &agents.Commands{Sessions: a.Sessions}
		changes      = &files.Commands{Sessions: a.Sessions, Browse: serves.Browse}
		resume, goOn bool
	)
	root.Flags().BoolVarP(&resume, "resume", "r", false, "choose a session in the terminal app")
	root.Flags().BoolVarP(&goOn, "continue", "c", false, "open the newest session of this project, as pith @")
	flags.Exclusive(root, "resume", "continue")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && !goOn && !resume {
			return reads.OpenSession(cmd.Context(), args[0])
		}
		if len(args) > 0 {
			return exit.Helpf("%s names a session, and a flag another one; see pith --help", args[0])
		}
		if goOn {
			return reads.OpenSession(cmd.Context(), "@")
		}
		if resume || app.CanShow() {
			return app.Show(cmd.Context(), fullscreen.View{})
		}
		return lists.Overview(cmd.Context())
	}
	root.PersistentFlags().StringVar(&a.SessionDir, "session-dir", "", "use the session files in `DIR` instead of the usual places")
	_ = root.MarkPersistentFlagDirname("session-dir") // the flag was just made
	root.PersistentFlags().StringVar(&a.Store, "store", "", "the team's sessions: `DSN` of a PostgreSQL database (or PITH_STORE)")
	root.PersistentFlags().BoolVar(&a.Force, "force", false, "write to a session although its own program seems to have it open")
	root.PersistentFlags().BoolVar(&a.NoColor, "no-color", false, "print without colours")
	root.PersistentFlags().BoolP("help", "h", false, "show this help")
	root.Flags().BoolP("version", "v", false, "print the version")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", "Flags.FlagUsagesWrapped "+helpWidth))
	root.SetVersionTemplate("pith {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddGroup(
		&cobra.Group{ID: groupRead, Title: "Reading:"},
		&cobra.Group{ID: groupWrite, Title: "Writing:"},
		&cobra.Group{ID: groupFiles, Title: "Files:"},
		&cobra.Group{ID: groupTeam, Title: "Several machines:"},
		&cobra.Group{ID: groupMore, Title: "More:"},
	)
	root.SetHelpCommandGroupID(groupMore)
	group(root, groupRead, lists.Ls(), lists.Search(), reads.Open(), reads.Show(), reads.Tree(), reads.Context(), reads.Subagents(), reads.Diff(),
		changes.Blame(), changes.Files(),
		lists.Usage(), lists.Projects())
	group(root, groupWrite, edits.New(), edits.Append(), asks.Prompt(), chats.Chat(), edits.Branch(), asks.Compact(),
		edits.Fork(), edits.Clone(), edits.Name(), edits.Label())
	group(root, groupFiles, keeps.Pin(), keeps.Archive(), keeps.Tag(), keeps.Du(), keeps.Gc(), keeps.Move(),
		keeps.Rm(), keeps.Restore(), shares.Export(), shares.Secrets(), mends.Doctor(), mends.Migrate(), keeps.Index(), others.Import(), others.Handover(), others.Backup(), starts.Demo())
	group(root, groupTeam, teams.Push(), teams.Pull(), teams.Sync(), teams.Team())
	group(root, groupMore, serves.Serve(), serves.RPC(), serves.MCP(), starts.Skill(), starts.Completion(), starts.Version())
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Use, c.Short, c.Long, c.Args = "help [COMMAND]", "Show help about a command", "Show what pith --help shows, or help about one command.", knownTopic
			c.Example = "  pith help\n  pith help ls"
		}
	}
	return root
}

// readsStore are the commands that read a team database if one is set.
var readsStore = map[string]bool{"ls": true, "search": true, "open": true, "show": true, "tree": true, "context": true, "subagents": true,
	"diff": true, "usage": true, "projects": true, "serve": true, "mcp": true, "index": true}

// chooseStore makes a reading command use the team database, if one is set.
// PITH_STORE does not affect other commands, including rpc, which mostly
// writes. They reject --store.
func (a *app) chooseStore(cmd *cobra.Command) error {
	name := cmd.Name()
	if cmd.HasParent() && cmd.Parent().Name() == "team" {
		name = "team"
	}
	switch {
	case name == "push" || name == "pull" || name == "sync" || name == "team":
		return nil
	case readsStore[name] || !cmd.HasParent() || name == "rpc" && a.Store != "":
		if a.StoreDSN() == "" || a.SessionDir != "" && a.Store == "" {
			return nil
		}
		if err := a.UseTeam(cmd.Context()); err != nil {
			return err
		}
		if name == "serve" || name == "mcp" || name == "rpc" { // the app does so itself, on its screen
			go a.FollowTeam(cmd.Context(), lookup.FollowEvery, func(text string, _ bool) { fmt.Fprintf(a.Env.Stderr, "pith: %s\n", termsafe.Line(text)) })
		}
		return nil
	case a.Store != "":
		return exit.Usagef("pith %s works on sessions of this machine; bring one here with pith pull, then leave --store out", name)
	}
	return nil
}

// knownTopic rejects help about an unknown command.
func knownTopic(cmd *cobra.Command, args []string) error {
	if _, rest, err := cmd.Root().Find(args); err != nil || len(rest) > 0 {
		return unknownCommand(cmd.Root(), args)
	}
	return nil
}

// synonyms are names of commands in other programs.
var synonyms = map[string][]string{
	"search": {"grep", "find", "rg"}, "open": {"resume", "continue", "view"}, "show": {"cat", "read", "log", "less"}, "ls": {"list", "sessions"},
	"rm": {"delete", "remove", "del"}, "restore": {"undelete", "trash"}, "usage": {"cost", "costs", "stats", "spend"}, "export": {"share", "html", "publish"},
	"doctor": {"check", "fix", "repair", "fsck"}, "branch": {"checkout", "rewind"}, "gc": {"clean", "prune"}, "name": {"rename", "title"}, "move": {"mv"},
}

func group(root *cobra.Command, id string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = id
		if c.ValidArgsFunction == nil && c.ValidArgs == nil {
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
		root.AddCommand(c)
	}
}

// isRecency reports whether an argument is @ or @N, which pith opens.
func isRecency(arg string) bool {
	rest, ok := strings.CutPrefix(arg, "@")
	return ok && strings.Trim(rest, "0123456789") == ""
}

// unknownCommand rejects arguments of pith itself except @ and @N. They are
// misspelled commands.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || len(args) == 1 && isRecency(args[0]) {
		return nil
	}
	for name, words := range synonyms {
		if slices.Contains(words, args[0]) {
			return exit.Helpf("unknown command %q; did you mean %s? see pith --help", args[0], name)
		}
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 && len(args[0]) > 2 {
		return exit.Helpf("unknown command %q; did you mean %s? see pith --help", args[0], strings.Join(near, " or "))
	}
	return exit.Helpf("unknown command %q; see pith --help", args[0])
}
