package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Flag is a flag as it was given on a command line.
type Flag struct {
	Name  string
	Value string // "" for a flag that takes none
}

// Given are the flags of a command line that were given, in the order of their
// names. They print themselves as arguments, for commands that are proposed. None
// of the methods changes the list.
type Given []Flag

// Of are the flags that a command was given, but for the global ones.
func Of(cmd *cobra.Command) Given {
	var out Given
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if cmd.InheritedFlags().Lookup(f.Name) != nil {
			return
		}
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		if f.Value.Type() == "bool" {
			value = ""
		}
		out = append(out, Flag{f.Name, value})
	})
	return out
}

// Without are the flags but for some.
func (g Given) Without(names ...string) Given {
	return slices.DeleteFunc(slices.Clone(g), func(f Flag) bool { return slices.Contains(names, f.Name) })
}

// Only are those of the flags that have one of the names.
func (g Given) Only(names ...string) Given {
	return slices.DeleteFunc(slices.Clone(g), func(f Flag) bool { return !slices.Contains(names, f.Name) })
}

// With are the flags with one set: in its place, or behind the others.
func (g Given) With(name, value string) Given {
	out := slices.Clone(g)
	if i := slices.IndexFunc(out, func(f Flag) bool { return f.Name == name }); i >= 0 {
		out[i].Value = value
		return out
	}
	return append(out, Flag{name, value})
}

// Arguments are the flags behind other words, as a command line has them.
func (g Given) Arguments(words ...string) []string {
	out := slices.Clone(words)
	for _, f := range g {
		out = append(out, "--"+f.Name)
		if f.Value != "" {
			out = append(out, f.Value)
		}
	}
	return out
}
