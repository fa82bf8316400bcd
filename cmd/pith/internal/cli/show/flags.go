package show

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/budget"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/inspect"
)

// The views of pith show.
const (
	viewConversation = "conversation"
	viewContents     = "toc"
	viewTurn         = "turn"
	viewIssues       = "issues"
	viewOverview     = "overview"
	viewFull         = "full"
	viewTools        = "tools"
	viewCosts        = "costs"
	viewSubagents    = "subagents"
	viewFiles        = "files"
	viewRaw          = "raw"
)

// The formats of pith show.
const (
	formatText     = "text"
	formatPlain    = "plain"
	formatMarkdown = "markdown"
	formatJSON     = "json"
)

// defaultMaxChars is the default of --max-chars.
const defaultMaxChars = 3000

// showFlags are the flags of pith show.
type showFlags struct {
	view, format *flags.OneOf
	turn         int

	subagent         string
	at               string
	around           int
	allBranches      bool
	offset, limit    int
	last             int
	rest             int // elements of a list; 0 means all
	maxChars         int
	budget           int64
	search           string
	roles            []string
	since, until     string
	raw, json        bool
	given            func(name string) bool
	all              flags.Given // as given on the command line
	sinceAt, untilAt time.Time
}

func (f *showFlags) register(cmd *cobra.Command) {
	f.view = flags.Choice(cmd, "view", "what to show, a `VIEW`", viewConversation, viewContents, viewTurn, viewIssues, viewOverview, viewFull,
		viewTools, viewCosts, viewSubagents, viewFiles, viewRaw)
	f.format = flags.Choice(cmd, "format", "output `FORMAT`", formatText, formatPlain, formatMarkdown)

	set := cmd.Flags()
	set.StringVar(&f.subagent, "subagent", "", "show the subagent run started by `ENTRY`; ENTRY/2 for the second of several")
	set.IntVar(&f.turn, "turn", 0, "show turn `N` in full")
	set.StringVar(&f.at, "at", "", "show the path to `ENTRY` instead of the current one")
	set.IntVar(&f.around, "around", 0, "with --at: only the turn of ENTRY and `N` turns before and after it")
	set.BoolVar(&f.allBranches, "all-branches", false, "show the entries of all branches, in file order")
	set.IntVar(&f.offset, "offset", 0, "skip `N` turns; a negative N counts from the end")
	set.IntVar(&f.limit, "limit", 0, "show at most `N` turns (0: all)")
	set.IntVar(&f.last, "last", 0, "show the last `N` turns")
	set.IntVar(&f.rest, "rest", 0, "show only the `N` list elements that a budget left out")
	set.IntVar(&f.maxChars, "max-chars", defaultMaxChars, "shorten each text to `N` characters (0: never)")
	set.Int64Var(&f.budget, "budget", 0, "print at most about `N` tokens, newest turns first")
	set.StringVar(&f.search, "search", "", "only turns that contain all these `WORDS`; quote a phrase")
	set.StringSliceVar(&f.roles, "role", nil, "only messages of this `ROLE`, or of several: "+strings.Join(inspect.Roles(), ", "))
	set.StringVar(&f.since, "since", "", "only turns since `TIME`: 2h, 3d, 2026-02-03, 2026-02-03T10:00")
	set.StringVar(&f.until, "until", "", "only turns until `TIME`")
	set.BoolVar(&f.raw, "raw", false, "same as --view raw")
	set.BoolVar(&f.json, "json", false, "print a JSON object")
	for _, hidden := range []string{"rest", "raw"} {
		_ = set.MarkHidden(hidden) // the flag was just made
	}
	flags.Exclusive(cmd, "last", "offset")
	flags.Exclusive(cmd, "raw", "json")
	flags.Exclusive(cmd, "raw", "view")
	flags.Exclusive(cmd, "json", "format")
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions(inspect.Roles(), cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
}

// settle checks the flags against each other and resolves those that mean the
// same.
func (f *showFlags) settle(cmd *cobra.Command, now time.Time) error {
	f.given = cmd.Flags().Changed
	if f.raw {
		f.view.Value = viewRaw
	}
	if f.json {
		f.format.Value = formatJSON
	}
	if f.given("turn") {
		if f.given("view") && f.view.Value != viewTurn {
			return exit.Usagef("--turn and --view %s cannot be used together", f.view.Value)
		}
		f.view.Value = viewTurn
	} else if f.view.Value == viewTurn {
		return exit.Usagef("--view turn needs --turn N")
	}
	if f.given("around") && !f.given("at") {
		return exit.Usagef("--around needs --at ENTRY")
	}
	if f.given("at") && f.allBranches && !f.given("around") {
		return exit.Helpf("--at and --all-branches cannot be used together; see %s --help", cmd.CommandPath())
	}
	if f.view.Value == viewRaw && f.format.Value == formatJSON {
		return exit.Helpf("--view raw and --json cannot be used together; see %s --help", cmd.CommandPath())
	}
	if f.view.Value == viewRaw && f.given("budget") {
		return exit.Helpf("--view raw and --budget cannot be used together; see %s --help", cmd.CommandPath())
	}
	return f.settleNumbers(cmd, now)
}

func (f *showFlags) settleNumbers(cmd *cobra.Command, now time.Time) error {
	for name, n := range map[string]int{"limit": f.limit, "last": f.last, "max-chars": f.maxChars, "around": f.around, "turn": f.turn, "rest": f.rest} {
		if n < 0 {
			return exit.Usagef("invalid --%s %d: use 0 or more", name, n)
		}
	}
	if f.given("budget") && f.budget < budget.Least {
		return exit.Usagef("invalid --budget %d: use %d or more", f.budget, budget.Least)
	}
	f.budget = min(f.budget, mostBudget)
	if f.given("rest") && (f.rest == 0 || !f.lists()) {
		return exit.Usagef("--rest needs a list view: toc, issues, overview, tools, costs, subagents or files")
	}
	if f.given("last") {
		if f.last == 0 {
			return exit.Usagef("invalid --last 0: use 1 or more")
		}
		f.offset = -f.last
	}
	for _, role := range f.roles {
		if !slices.Contains(inspect.Roles(), role) {
			return exit.Usagef("invalid --role %q: use %s", role, strings.Join(inspect.Roles(), ", "))
		}
	}
	var err error
	if f.sinceAt, err = f.bound("since", f.since, now, catalog.ParseStart); err != nil {
		return err
	}
	if f.untilAt, err = f.bound("until", f.until, now, catalog.ParseEnd); err != nil {
		return err
	}
	f.all = flags.Of(cmd)
	return nil
}

// mayShorten reports whether very long texts may be cut although they would be
// printed in full otherwise.
func (f *showFlags) mayShorten() bool {
	return !f.given("max-chars") && !f.given("search") && f.format.Value != formatJSON && f.view.Value != viewRaw
}

// brief reports whether thinking and tool output are shortened to a few lines.
func (f *showFlags) brief() bool {
	return f.view.Value == viewConversation && !(f.given("max-chars") && f.maxChars == 0)
}

// lists reports whether the view is a list whose elements are not turns.
func (f *showFlags) lists() bool {
	switch f.view.Value {
	case viewConversation, viewFull, viewTurn, viewRaw:
		return false
	}
	return true
}

// selects reports whether a flag selects a part of the conversation.
func (f *showFlags) selects() bool {
	return slices.ContainsFunc([]string{"offset", "limit", "last", "search", "role", "since", "until", "around", "turn", "budget", "rest"}, f.given)
}

// choice returns the selection of the flags.
func (f *showFlags) choice(at string) inspect.Choice {
	return inspect.Choice{
		At: at, Around: f.around, Search: f.search, Roles: f.roles, Since: f.sinceAt, Until: f.untilAt, Offset: f.offset, Limit: f.limit,
	}
}

// bound parses a time that a person typed, as pith ls does.
func (f *showFlags) bound(name, text string, now time.Time, parse func(string, time.Time) (time.Time, bool)) (time.Time, error) {
	if !f.given(name) {
		return time.Time{}, nil
	}
	t, ok := parse(text, now)
	if !ok {
		return t, exit.Usagef("invalid --%s %q: use 2h, 3d, 2026-02-03 or 2026-02-03T10:00", name, text)
	}
	return t, nil
}

func plural(from, to int) string {
	if from == to {
		return fmt.Sprintf("turn %d", from)
	}
	return fmt.Sprintf("turns %d to %d", from, to)
}
