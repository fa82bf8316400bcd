// Package flags extends cobra: checks of arguments and flags with pith's
// messages, flags with a few allowed words, times and sizes as people type
// them.
package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
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
		fault := "is not a number"
		if errors.Is(number, strconv.ErrRange) {
			fault = "is too large a number"
		}
		err = fmt.Errorf("--%s %q %s", invalid.GetFlag().Name, invalid.GetValue(), fault)
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && strings.HasSuffix(unknown.GetSpecifiedName()+unknown.GetSpecifiedShortnames(), ".jsonl") {
		return exit.Usagef("%w; if that is a file, write ./ before its name", err)
	}
	return exit.Helpf("%w; see %s --help", err, cmd.CommandPath())
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
			err = exit.Helpf("--%s is empty; is a variable not set? see %s --help", f.Name, cmd.CommandPath())
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
			return exit.Helpf("%s cannot be given together; see %s --help", strings.Join(given, " and "), cmd.CommandPath())
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
		if len(args) < least || most >= 0 && len(args) > most {
			return exit.Helpf("usage: %s; see %s --help", cmd.UseLine(), cmd.CommandPath())
		}
		for i, arg := range args {
			if arg == "" && (named < 0 || i < named) {
				return exit.Helpf("argument %d is empty; is a variable not set? see %s --help", i+1, cmd.CommandPath())
			}
		}
		return nil
	}
}

// OneOf is a flag whose value is one of a few words.
type OneOf struct {
	words []string
	Value string
}

func (f *OneOf) String() string { return f.Value }

func (f *OneOf) Type() string { return "WORD" }

func (f *OneOf) Set(word string) error {
	for _, w := range f.words {
		if word == w {
			f.Value = word
			return nil
		}
	}
	return fmt.Errorf("choose one of %s", strings.Join(f.words, ", "))
}

// Choice adds a flag that takes one of a few words, the first by default.
func Choice(cmd *cobra.Command, name, usage string, words ...string) *OneOf {
	f := &OneOf{words, words[0]}
	cmd.Flags().Var(f, name, usage+": "+strings.Join(words, ", "))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
	return f
}
