// Package flags extends cobra: checks of arguments and flags with pith's
// messages, flags with a few allowed words, times and sizes as people type
// them.
package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/internal/near"
)

// Words returns the names in a list.
func Words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

// Explain returns a better error for an invalid flag.
func Explain(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if errors.As(err, &invalid) && errors.As(err, &number) {
		fault := "not a number"
		if errors.Is(number, strconv.ErrRange) {
			fault = "number too large"
		}
		err = fmt.Errorf("invalid --%s %q: %s", invalid.GetFlag().Name, invalid.GetValue(), fault)
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		return explainUnknown(cmd, err, unknown)
	}
	if errors.As(err, &invalid) {
		if _, ok := invalid.GetFlag().Value.(*OneOf); ok {
			err = fmt.Errorf("invalid --%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), errors.Unwrap(invalid))
		}
	}
	return exit.Helpf("%w; see %s --help", err, cmd.CommandPath())
}

// explainUnknown suggests the flag that was probably meant.
func explainUnknown(cmd *cobra.Command, err error, unknown *pflag.NotExistError) error {
	if strings.HasSuffix(unknown.GetSpecifiedName()+unknown.GetSpecifiedShortnames(), ".jsonl") {
		return exit.Usagef("%w; if that is a file, write ./ before its name", err)
	}
	if unknown.GetSpecifiedShortnames() != "" {
		return exit.Helpf("%w; see %s --help", err, cmd.CommandPath())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if meant := near.Word(unknown.GetSpecifiedName(), names); meant != "" {
		return exit.Helpf("unknown flag --%s; did you mean --%s? see %s --help", unknown.GetSpecifiedName(), meant, cmd.CommandPath())
	}
	return exit.Helpf("unknown flag --%s; see %s --help", unknown.GetSpecifiedName(), cmd.CommandPath())
}

// NoneEmpty rejects flags with an empty value: that is an unset variable of a
// script (pitfall 64), which must not disable a filter or a rule.
func NoneEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), "")
		}
		if strings.TrimSpace(value) == "" {
			err = exit.Helpf("--%s is empty (unset variable?); see %s --help", f.Name, cmd.CommandPath())
		}
	})
	return err
}

// Exclusive rejects combinations of mutually exclusive flags.
func Exclusive(cmd *cobra.Command, names ...string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		var given []string
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return exit.Helpf("%s cannot be used together; see %s --help", strings.Join(given, " and "), cmd.CommandPath())
		}
		if before != nil {
			return before(cmd, args)
		}
		return nil
	}
}

// Takes checks the number of arguments and that none of the first ones, which
// name something, is empty: that is an unset variable of a script (pitfall 64).
// A maximum of -1 means no limit.
func Takes(least, most, named int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case most >= 0 && len(args) > most && cmd.HasSubCommands():
			return exit.Helpf("unknown command %q for %s (%s)", args[most], cmd.CommandPath(), strings.Join(subcommands(cmd), ", "))
		case most >= 0 && len(args) > most:
			return exit.Helpf("unexpected argument %q; see %s --help", args[most], cmd.CommandPath())
		case len(args) < least:
			return exit.Helpf("missing %s; see %s --help", placeholder(cmd, len(args)), cmd.CommandPath())
		}
		for i, arg := range args {
			if arg == "" && (named < 0 || i < named) {
				return exit.Helpf("argument %d is empty (unset variable?); see %s --help", i+1, cmd.CommandPath())
			}
		}
		return nil
	}
}

func subcommands(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// placeholder is the name of an argument in the usage line of a command.
func placeholder(cmd *cobra.Command, i int) string {
	words := strings.Fields(cmd.Use)[1:]
	return strings.TrimRight(words[min(i, len(words)-1)], ".")
}

// OneOf is a flag whose value is one of a few words.
type OneOf struct {
	words []string
	Value string
}

func (f *OneOf) String() string { return f.Value }

func (f *OneOf) Type() string { return "VALUE" }

func (f *OneOf) Set(word string) error {
	if slices.Contains(f.words, word) {
		f.Value = word
		return nil
	}
	return fmt.Errorf("use %s", strings.Join(f.words, ", "))
}

// Choice adds a flag that takes one of a few words, the first by default. usage names
// the placeholder of help in backquotes.
func Choice(cmd *cobra.Command, name, usage string, words ...string) *OneOf {
	f := &OneOf{words: words, Value: words[0]}
	cmd.Flags().Var(f, name, usage+": "+strings.Join(words, ", "))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
	return f
}
