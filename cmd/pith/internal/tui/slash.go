package tui

import (
	"slices"
	"strings"
)

// A slashCommand is a command that is typed into the input.
type slashCommand struct {
	Name      string
	Arguments string // as help shows them; "" for none
	About     string
	Do        do
}

// find returns the command with that name; nil if there is none.
func find(all []slashCommand, name string) *slashCommand {
	i := slices.IndexFunc(all, func(c slashCommand) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// fitting returns the commands whose names start with a line that has no argument yet.
func fitting(all []slashCommand, line string) []slashCommand {
	prefix, ok := strings.CutPrefix(line, "/")
	if !ok || strings.ContainsAny(prefix, " \n") {
		return nil
	}
	return slices.DeleteFunc(all, func(c slashCommand) bool { return !strings.HasPrefix(c.Name, prefix) })
}
