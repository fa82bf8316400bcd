package list

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// A column is one fact of a session as --format prints it.
type column struct {
	name  string
	value func(r *sessionRecord, s *catalog.Info) string
}

// sessionColumns are what --format knows, in the order of the documentation.
var sessionColumns = []column{
	{"id", func(_ *sessionRecord, s *catalog.Info) string { return s.ID }},
	{"path", func(_ *sessionRecord, s *catalog.Info) string { return s.Path }},
	{"project", func(r *sessionRecord, _ *catalog.Info) string { return string(r.Project) }},
	{"missing", func(r *sessionRecord, _ *catalog.Info) string { return strconv.FormatBool(r.Missing) }},
	{"cwd", func(_ *sessionRecord, s *catalog.Info) string { return s.Cwd }},
	{"title", func(_ *sessionRecord, s *catalog.Info) string { return s.Title() }},
	{"name", func(_ *sessionRecord, s *catalog.Info) string { return s.Name }},
	{"firstMessage", func(_ *sessionRecord, s *catalog.Info) string { return s.FirstMessage }},
	{"created", func(r *sessionRecord, _ *catalog.Info) string { return orEmpty(r.Created) }},
	{"modified", func(r *sessionRecord, _ *catalog.Info) string { return orEmpty(r.Modified) }},
	{"messageCount", func(_ *sessionRecord, s *catalog.Info) string { return strconv.Itoa(s.MessageCount) }},
	{"entries", func(_ *sessionRecord, s *catalog.Info) string { return strconv.Itoa(s.Entries) }},
	{"branches", func(_ *sessionRecord, s *catalog.Info) string { return strconv.Itoa(s.Branches) }},
	{"findings", func(_ *sessionRecord, s *catalog.Info) string { return strconv.Itoa(s.Findings) }},
	{"status", func(_ *sessionRecord, s *catalog.Info) string { return string(s.Status) }},
	{"model", func(_ *sessionRecord, s *catalog.Info) string { return s.Model }},
	{"tokens", func(_ *sessionRecord, s *catalog.Info) string { return strconv.FormatInt(s.Spent.Tokens, 10) }},
	{"cost", func(_ *sessionRecord, s *catalog.Info) string { return humanize.Dollars(s.Spent.Cost.Micros()) }},
	{"costMicros", func(_ *sessionRecord, s *catalog.Info) string { return strconv.FormatInt(s.Spent.Cost.Micros(), 10) }},
	{"size", func(_ *sessionRecord, s *catalog.Info) string { return strconv.FormatInt(s.Size, 10) }},
	{"pinned", func(r *sessionRecord, _ *catalog.Info) string { return strconv.FormatBool(r.Pinned) }},
	{"archived", func(r *sessionRecord, _ *catalog.Info) string { return strconv.FormatBool(r.Archived) }},
	{"tags", func(r *sessionRecord, _ *catalog.Info) string { return strings.Join(r.Tags, " ") }},
	{"version", func(_ *sessionRecord, s *catalog.Info) string { return strconv.Itoa(s.Version) }},
	{"root", func(_ *sessionRecord, s *catalog.Info) string { return s.Root }},
	{"internal", func(_ *sessionRecord, s *catalog.Info) string { return strconv.FormatBool(s.Internal) }},
	{"parentSession", func(_ *sessionRecord, s *catalog.Info) string { return s.ParentSession }},
	{"children", func(r *sessionRecord, _ *catalog.Info) string { return strings.Join(flags.Words(r.Children), " ") }},
}

// orEmpty is a time that may be unknown.
func orEmpty(t *string) string {
	if t == nil {
		return ""
	}
	return *t
}

func columnNames() []string {
	names := make([]string, len(sessionColumns))
	for i, c := range sessionColumns {
		names[i] = c.name
	}
	return names
}

// chosenColumns reads a list of columns.
func chosenColumns(list string) ([]column, error) {
	var chosen []column
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(sessionColumns, func(c column) bool { return c.name == name })
		if i < 0 {
			return nil, exit.Usagef("--format: there is no column %q; choose among %s", name, strings.Join(columnNames(), ", "))
		}
		chosen = append(chosen, sessionColumns[i])
	}
	return chosen, nil
}

// printColumns prints one line for each session, values with tabs between them.
// What would end a line or a value is made visible.
func (a *Commands) printColumns(infos []catalog.Info, records []sessionRecord, chosen []column) {
	for i := range infos {
		if a.Out.Failed() {
			return
		}
		for c, column := range chosen {
			if c > 0 {
				a.Out.Print("\t")
			}
			a.Out.Print(termsafe.Line(column.value(&records[i], &infos[i])))
		}
		a.Out.Print("\n")
	}
}
