package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups in which help lists the commands.
const (
	groupRead  = "read"
	groupWrite = "write"
	groupFiles = "files"
	groupMore  = "more"
)

const rootHelp = `pith reads, branches and edits the sessions of coding agents: append-only
conversation trees in JSONL files, as pi and its relatives keep them.

A SESSION is named by its file, its id or the beginning of it, its exact name,
or @ for the newest one of this project (@2 for the one before, and so on).
An ENTRY is named by its id or the beginning of it, its label, @leaf or @root.`

const rootExample = `  pith                      the sessions of this project
  pith show @               read the newest one
  pith tree @               its branches
  pith context @            what the model sees
  pith demo                 sample sessions to try all this on`

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "pith",
		Short:         "Read, branch and edit the sessions of coding agents",
		Long:          rootHelp,
		Example:       rootExample,
		Version:       currentVersion().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.setUp(cmd)
			return noEmptyFlags(cmd)
		},
	}
	var resume bool
	root.Flags().BoolVarP(&resume, "resume", "r", false, "choose a session in the terminal app")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if resume || a.canShowApp() {
			return a.showApp(cmd.Context(), appView{})
		}
		return a.overview(cmd.Context())
	}
	root.PersistentFlags().StringVar(&a.sessionDir, "session-dir", "", "use the session files in `DIR` instead of the usual places")
	_ = root.MarkPersistentFlagDirname("session-dir") // the flag was just made
	root.PersistentFlags().BoolVar(&a.noColor, "no-color", false, "print without colours")
	root.PersistentFlags().BoolP("help", "h", false, "show this help")
	root.Flags().BoolP("version", "v", false, "print the version")
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("pith {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddGroup(
		&cobra.Group{ID: groupRead, Title: "Reading:"},
		&cobra.Group{ID: groupWrite, Title: "Writing:"},
		&cobra.Group{ID: groupFiles, Title: "Files:"},
		&cobra.Group{ID: groupMore, Title: "More:"},
	)
	root.SetHelpCommandGroupID(groupMore)
	group(root, groupRead, a.lsCommand(), a.searchCommand(), a.showCommand(), a.treeCommand(), a.contextCommand(), a.subagentsCommand(), a.diffCommand(),
		a.usageCommand(), a.projectsCommand())
	group(root, groupWrite, a.newCommand(), a.appendCommand(), a.promptCommand(), a.chatCommand(), a.branchCommand(), a.compactCommand(),
		a.forkCommand(), a.cloneCommand(), a.nameCommand(), a.labelCommand())
	group(root, groupFiles, a.pinCommand(), a.archiveCommand(), a.tagCommand(), a.duCommand(), a.gcCommand(), a.moveCommand(),
		a.rmCommand(), a.restoreCommand(), a.doctorCommand(), a.migrateCommand(), a.indexCommand(), a.demoCommand())
	group(root, groupMore, a.rpcCommand(), a.skillCommand(), a.completionCommand(), a.versionCommand())
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Use, c.Short, c.Long, c.Args = "help [COMMAND]", "Show help about a command", "Show what pith --help shows, or help about one command.", knownTopic
			c.Example = "  pith help\n  pith help ls"
		}
	}
	return root
}

// knownTopic refuses help about a command that there is not.
func knownTopic(cmd *cobra.Command, args []string) error {
	if _, rest, err := cmd.Root().Find(args); err != nil || len(rest) > 0 {
		return unknownCommand(cmd.Root(), args)
	}
	return nil
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

// flagError says what is wrong with a flag, in the words of this command.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if errors.As(err, &invalid) && errors.As(err, &number) {
		fault := "is not a number"
		if errors.Is(number, strconv.ErrRange) {
			fault = "is too large a number"
		}
		err = fmt.Errorf("--%s %q %s", invalid.GetFlag().Name, invalid.GetValue(), fault)
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && strings.HasSuffix(unknown.GetSpecifiedName()+unknown.GetSpecifiedShortnames(), ".jsonl") {
		return usagef("%w; if that is a file, write ./ before its name", err)
	}
	return usagef("%w; see %s --help", err, cmd.CommandPath())
}

// noEmptyFlags refuses flags with an empty value: that is an unset variable of a
// script (pitfall 64), and leaving a filter or a rule out is not what it means.
func noEmptyFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), "")
		}
		if strings.TrimSpace(value) == "" {
			err = usagef("--%s is empty; is a variable not set? see %s --help", f.Name, cmd.CommandPath())
		}
	})
	return err
}

// exclusive refuses flags of which only one can be meant.
func exclusive(cmd *cobra.Command, names ...string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		var given []string
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return usagef("%s cannot be given together; see %s --help", strings.Join(given, " and "), cmd.CommandPath())
		}
		if before != nil {
			return before(cmd, args)
		}
		return nil
	}
}

// unknownCommand refuses arguments of pith itself, which are misspelt commands.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 && len(args[0]) > 2 {
		return usagef("unknown command %q; did you mean %s? see pith --help", args[0], strings.Join(near, " or "))
	}
	return usagef("unknown command %q; see pith --help", args[0])
}

// takes checks the number of arguments and that none of the first ones, which
// name something, is empty: that is an unset variable of a script (pitfall 64).
// At most -1 means any number.
func takes(least, most, named int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return usagef("usage: %s; see %s --help", cmd.UseLine(), cmd.CommandPath())
		}
		for i, arg := range args {
			if arg == "" && (named < 0 || i < named) {
				return usagef("argument %d is empty; is a variable not set? see %s --help", i+1, cmd.CommandPath())
			}
		}
		return nil
	}
}

// oneOf is a flag whose value is one of a few words.
type oneOf struct {
	words []string
	value string
}

func (f *oneOf) String() string { return f.value }
func (f *oneOf) Type() string   { return strings.Join(f.words, "|") }
func (f *oneOf) Set(word string) error {
	for _, w := range f.words {
		if word == w {
			f.value = word
			return nil
		}
	}
	return fmt.Errorf("choose one of %s", strings.Join(f.words, ", "))
}

// choice adds a flag that takes one of a few words, the first by default.
func choice(cmd *cobra.Command, name, usage string, words ...string) *oneOf {
	f := &oneOf{words, words[0]}
	cmd.Flags().Var(f, name, usage)
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
	return f
}
