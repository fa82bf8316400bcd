package lookup

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// A Query is the query of a command: its arguments, and flags for the filters
// that people type first.
type Query struct {
	query.Query
	// Text is the query as arguments.
	Text  string
	typed map[string]*string // values of the flags
}

// takesQuery is the annotation of commands whose arguments are a query.
const takesQuery = "query"

// ShieldFilters returns the arguments of a command with a space before those
// that are filters with a minus, such as -tag:x, so that they are not taken for
// flags.
func ShieldFilters(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Annotations[takesQuery] == "" {
		return args
	}
	out := slices.Clone(args)
	for i, arg := range out {
		if arg == "--" {
			break
		}
		if name, _, ok := strings.Cut(strings.TrimPrefix(arg, "-"), ":"); ok && strings.HasPrefix(arg, "-") && query.IsFilter(name) {
			out[i] = " " + arg
		}
	}
	return out
}

// AddQuery adds the flags of a query.
func (a *Sessions) AddQuery(cmd *cobra.Command, q *Query) {
	q.typed, cmd.Annotations = map[string]*string{}, map[string]string{takesQuery: "true"}
	for _, f := range query.Filters {
		if !f.Flag {
			continue
		}
		q.typed[f.Name] = cmd.Flags().String(f.Name, "", "only "+strings.Replace(f.About, f.Value, "`"+f.Value+"`", 1))
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if f.Name == "project" {
				return completions{a}.completeProjectFlag(cmd, nil, prefix)
			}
			return a.filterValues(cmd, f.Name, prefix), cobra.ShellCompDirectiveNoFileComp
		}) // the flag was just made
	}
}

// FilterFlags returns the names of the flags of a query.
func FilterFlags() (names []string) {
	for _, f := range query.Filters {
		if f.Flag {
			names = append(names, f.Name)
		}
	}
	return names
}

// ParseQuery parses the arguments and the flags of a query.
func (a *Sessions) ParseQuery(q *Query, args []string) (err error) {
	q.Text = query.Join(args)
	if q.Query, err = query.Parse(strings.TrimSpace(q.Text+" "+q.flagText()), a.QueryEnv()); err != nil {
		return exit.AsUsage(err)
	}
	if len(a.Sources) == 0 { // do not read others
		for _, name := range q.Wants("source") {
			a.Sources = append(a.Sources, strings.ToLower(name))
		}
	}
	return a.CheckSources()
}

// QueryEnv returns what the values of filters refer to.
func (a *Sessions) QueryEnv() query.Env {
	cwd, _ := a.Env.Cwd() // without it, paths are parts of paths
	return query.Env{Now: a.Env.Now(), Cwd: cwd, Catalog: a.places()}
}

// flagText returns the flags as a query.
func (q *Query) flagText() string {
	var words []string
	for _, name := range FilterFlags() {
		if value := q.typed[name]; value != nil && *value != "" {
			words = append(words, query.List(name, *value))
		}
	}
	return strings.Join(words, " ")
}

// Whole returns the arguments and the flags as a query.
func (q *Query) Whole() string { return strings.TrimSpace(q.Text + " " + q.flagText()) }

// NamesProject reports whether the query names projects, and so is not about
// that of the working directory.
func (q *Query) NamesProject() bool { return len(q.Wants("project")) > 0 }

// FilterHelp returns the filters, for help.
func FilterHelp() string {
	var lines []string
	for _, f := range query.Filters {
		about, _, _ := strings.Cut(f.About, ":")
		lines = append(lines, "  "+termsafe.Pad(f.Name+":"+f.Value, 15)+" "+about)
	}
	return strings.Join(lines, "\n")
}

// CompleteQuery suggests the filters of a query and their values.
func (a *Sessions) CompleteQuery(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	open, ok := query.Last(prefix)
	if !ok {
		for _, f := range query.Filters {
			out = append(out, f.Name+":")
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	for _, v := range a.filterValues(cmd, open.Filter.Name, open.Value) {
		out = append(out, open.Before+v)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// filterValues returns values of a filter to suggest.
func (a *Sessions) filterValues(cmd *cobra.Command, name, prefix string) []cobra.Completion {
	switch name {
	case "project":
		return a.CompleteProjects(cmd, prefix)
	case "model":
		models, _ := a.CompleteModels(cmd, nil, prefix)
		return models
	case "source":
		a.SetUp(cmd)
		return a.sourceNames()
	case "since", "until":
		return []cobra.Completion{"today", "yesterday", "this-week", "last-week", "this-month", "last-month", "7d", "30d"}
	case "tag":
		if marks, err := a.OpenMarks(); err == nil {
			return slices.Sorted(maps.Keys(marks.Tags()))
		}
	}
	for _, f := range query.Filters {
		if f.Name == name {
			return f.Values
		}
	}
	return nil
}
