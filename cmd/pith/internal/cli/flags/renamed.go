package flags

import (
	"maps"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// renamedKey prefixes the annotations in which a command keeps its old flag names.
const renamedKey = "pith_renamed_"

// Renamed accepts an old name of a flag. Help and completion show the new one alone.
func Renamed(cmd *cobra.Command, old, now string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[renamedKey+old] = now
}

// AcceptOldNames makes the old names of flags work in root and in all commands below
// it. Those of root are accepted by every command that has no such old name itself.
func AcceptOldNames(root *cobra.Command) {
	acceptOldNames(root, map[string]string{})
}

func acceptOldNames(cmd *cobra.Command, inherited map[string]string) {
	names := maps.Clone(inherited)
	for key, now := range cmd.Annotations {
		if old, ok := strings.CutPrefix(key, renamedKey); ok {
			names[old] = now
		}
	}
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if now, ok := names[name]; ok {
			name = now
		}
		return pflag.NormalizedName(name)
	})
	for _, sub := range cmd.Commands() {
		acceptOldNames(sub, names)
	}
}

// OldShorthand accepts a letter that was the shorthand of a flag. Help does not show
// it.
func OldShorthand(cmd *cobra.Command, letter, name string) {
	set := cmd.Flags()
	set.AddFlag(&pflag.Flag{Name: "old-" + name, Shorthand: letter, Value: forward{set, name}, Hidden: true})
}

// A forward is the value of a flag that sets another one.
type forward struct {
	set  *pflag.FlagSet
	name string
}

func (f forward) String() string        { return f.set.Lookup(f.name).Value.String() }
func (f forward) Type() string          { return f.set.Lookup(f.name).Value.Type() }
func (f forward) Set(text string) error { return f.set.Set(f.name, text) }

// Near returns the candidate most like a word that was mistyped, or "" if none is
// close.
func Near(word string, candidates []string) string {
	best, least := "", 3
	for _, c := range candidates {
		if c == "" {
			continue
		}
		n := distance(strings.ToLower(word), strings.ToLower(c))
		if n*2 > len(c) && !strings.HasPrefix(c, word) {
			continue // more than half of it differs
		}
		if n < least || best == "" && len(word) > 1 && strings.HasPrefix(strings.ToLower(c), strings.ToLower(word)) {
			best, least = c, min(n, least)
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap to make b of a.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
