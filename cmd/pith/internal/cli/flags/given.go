package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Flag is a flag given on a command line.
type Flag struct {
	Name  string
	Value string // "" for a flag without a value
}

// Given are the flags given on a command line, sorted by name. They can be
// printed as arguments, for suggested commands. None of the methods modifies
// the list.
type Given []Flag

// Of returns the flags given to a command, without the global ones that say how and
// where it works.
func Of(cmd *cobra.Command) Given {
	var out Given
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if cmd.InheritedFlags().Lookup(f.Name) != nil && f.Name != "json" {
			return
		}
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		if f.Value.Type() == "bool" {
			if value == "false" {
				return
			}
			value = ""
		}
		out = append(out, Flag{f.Name, value})
	})
	return out
}

// Without returns the flags without some.
func (g Given) Without(names ...string) Given {
	return slices.DeleteFunc(slices.Clone(g), func(f Flag) bool { return slices.Contains(names, f.Name) })
}

// Only returns the flags with these names, in that order.
func (g Given) Only(names ...string) Given {
	var out Given
	for _, name := range names {
		if i := slices.IndexFunc(g, func(f Flag) bool { return f.Name == name }); i >= 0 {
			out = append(out, g[i])
		}
	}
	return out
}

// With returns the flags with one set: in its place, or after the others.
func (g Given) With(name, value string) Given {
	out := slices.Clone(g)
	if i := slices.IndexFunc(out, func(f Flag) bool { return f.Name == name }); i >= 0 {
		out[i].Value = value
		return out
	}
	return append(out, Flag{name, value})
}

// Arguments returns the flags after other words, as on a command line.
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
