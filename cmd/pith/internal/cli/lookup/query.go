package lookup

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/sessionfilter"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// A Query selects sessions: by the arguments of a command, which are words and
// filters, and by flags for the filters that people type first.
type Query struct {
	Scope
	sessionfilter.Filter
	// Words must all be in the title, the ID or the project of a session. They
	// are in lower case.
	Words []string
	// Text is the query as arguments.
	Text  string
	typed map[string]*string // values of the flags of filters
}

// AddQuery adds the flags of a query: those of the scope, --source, and those of
// the other filters.
func (a *Sessions) AddQuery(cmd *cobra.Command, q *Query, verb string, usual bool) {
	a.AddScope(cmd, &q.Scope, verb, usual)
	a.AddFilters(cmd, q)
}

// AddFilters is AddQuery without the flags of the scope.
func (a *Sessions) AddFilters(cmd *cobra.Command, q *Query) {
	a.AddSources(cmd)
	q.typed = map[string]*string{}
	for _, k := range sessionfilter.Keys {
		switch k.Name {
		case "status", "model", "since", "until":
			q.typed[k.Name] = cmd.Flags().String(k.Name, "", "only "+strings.Replace(k.About, k.Value, "`"+k.Value+"`", 1))
		}
	}
	statuses := cobra.FixedCompletions(flags.Words(catalog.Statuses), cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc("status", statuses)        // the flag was just made
	_ = cmd.RegisterFlagCompletionFunc("model", a.CompleteModels) // likewise
}

// ParseQuery parses the arguments and the flags of a query.
func (a *Sessions) ParseQuery(q *Query, args []string) (err error) {
	now := a.Env.Now()
	q.Text = sessionfilter.Join(args)
	if q.Filter, q.Words, err = sessionfilter.ParseWords(q.Text, now); err != nil {
		return exit.AsUsage(err)
	}
	for key, value := range q.typed {
		if *value == "" {
			continue
		}
		err := q.Filter.Add(key, *value, now)
		if bad := (*sessionfilter.ValueError)(nil); errors.As(err, &bad) {
			return exit.Usagef("invalid --%s %q: use %s", key, *value, bad.Use)
		}
	}
	if q.Scope.Project == "" {
		q.Scope.Project, q.Filter.Project = q.Filter.Project, ""
	}
	if len(a.Sources) == 0 && q.Source != "" {
		a.Sources, q.Source = []string{q.Source}, ""
	}
	return a.CheckSources()
}

// FlagText returns the flags of filters as words of a query.
func (q *Query) FlagText() string {
	var words []string
	for _, k := range sessionfilter.Keys {
		if value := q.typed[k.Name]; value != nil && *value != "" {
			words = append(words, sessionfilter.Quote(k.Name, *value))
		}
	}
	return strings.Join(words, " ")
}

// Any reports whether the query selects sessions other than by project and agent.
func (q *Query) Any() bool { return q.Set() || len(q.Words) > 0 }

// Chooses reports whether a session with these marks is wanted, apart from its
// project, and whether it is left out only because it is archived.
func (q *Query) Chooses(i *catalog.Info, m marks.Marks) (chosen, hidden bool) {
	if !q.Match(i) || !q.MatchTags(&m) || !q.hasWords(i) {
		return false, false
	}
	archived := m.Archived || i.Archived
	return archived == q.Archived, archived && !q.Archived
}

func (q *Query) hasWords(i *catalog.Info) bool {
	text := ""
	for _, word := range q.Words {
		if text == "" {
			text = strings.ToLower(i.Name + "\n" + i.FirstMessage + "\n" + i.ID + "\n" + i.Cwd)
		}
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
