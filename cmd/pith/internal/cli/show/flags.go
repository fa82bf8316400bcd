package show

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/inspect"
)

// The views of pith show.
const (
	viewConversation = "conversation"
	viewContents     = "toc"
	viewFull         = "full"
	viewIssues       = "issues"
	viewTools        = "tools"
	viewCosts        = "costs"
)

// defaultMaxChars is the default of --max-chars.
const defaultMaxChars = 3000

// showFlags are the flags of pith show.
type showFlags struct {
	view        *flags.OneOf
	turns       string
	at          string
	allBranches bool
	subagent    string
	search      string
	roles       []string
	maxChars    int
	budget      int64
	given       func(name string) bool
	all         flags.Given // as given on the command line
}

func (f *showFlags) register(cmd *cobra.Command) {
	f.view = flags.Choice(cmd, "view", "what to show, a `VIEW`", viewConversation, viewContents, viewFull, viewIssues, viewTools, viewCosts)

	set := cmd.Flags()
	set.StringVar(&f.turns, "turns", "", "show only these `TURNS`: 3-5, 2,4-6, 4- (to the end), -3 (the last 3), or the turn of an ENTRY")
	set.StringVar(&f.at, "at", "", "show the path to `ENTRY` instead of the current one")
	set.BoolVar(&f.allBranches, "all-branches", false, "show the entries of all branches, in file order")
	set.StringVar(&f.subagent, "subagent", "", "show the subagent run started by `ENTRY`; ENTRY/2 for the second of several")
	set.StringVar(&f.search, "search", "", "only turns that contain all these `WORDS`; quote a phrase")
	set.StringSliceVar(&f.roles, "role", nil, "only messages of this `ROLE`, or of several: "+strings.Join(inspect.Roles(), ", "))
	set.IntVar(&f.maxChars, "max-chars", defaultMaxChars, "shorten each text to `N` characters (0: never)")
	set.Int64Var(&f.budget, "budget", 0, "print at most about `N` tokens, newest turns first")
	flags.Exclusive(cmd, "at", "all-branches")
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions(inspect.Roles(), cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
}

// settle checks the values of the flags.
func (f *showFlags) settle(cmd *cobra.Command) error {
	f.given = cmd.Flags().Changed
	if f.maxChars < 0 {
		return exit.Usagef("invalid --max-chars %d: use 0 or more", f.maxChars)
	}
	if f.given("budget") && f.budget < flags.LeastBudget {
		return exit.Usagef("invalid --budget %d: use %d or more", f.budget, flags.LeastBudget)
	}
	f.budget = min(f.budget, mostBudget)
	for _, role := range f.roles {
		if !slices.Contains(inspect.Roles(), role) {
			return exit.Usagef("invalid --role %q: use %s", role, strings.Join(inspect.Roles(), ", "))
		}
	}
	f.all = flags.Of(cmd)
	return nil
}

// mayShorten reports whether very long texts may be cut although they would be
// printed in full otherwise.
func (v *showing) mayShorten() bool {
	return !v.flags.given("max-chars") && !v.flags.given("search") && !v.JSON
}

// brief reports whether thinking and tool output are shortened to a few lines.
func (f *showFlags) brief() bool {
	return f.view.Value == viewConversation && !(f.given("max-chars") && f.maxChars == 0)
}

// selects reports whether a flag selects a part of the conversation.
func (f *showFlags) selects() bool {
	return slices.ContainsFunc([]string{"turns", "search", "role", "budget"}, f.given)
}
