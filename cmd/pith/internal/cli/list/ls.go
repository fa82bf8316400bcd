// Package list implements the commands that read many sessions: ls, search,
// usage, projects, and the overview that pith prints without a command.
package list

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// Commands holds the commands of this package.
type Commands struct{ *lookup.Sessions }

type lsFlags struct {
	lookup.Query
	all, json, projects bool
	limit               int
	limited             bool        // --limit was given
	given               flags.Given // the flags that select and sort sessions, without --all
	format              string
	order               *flags.OneOf
}

func (a *Commands) Ls() *cobra.Command {
	var f lsFlags
	cmd := &cobra.Command{
		Use:   "ls [QUERY...]",
		Short: "List sessions, newest first",
		Long: `List the sessions of this project, or of all projects, newest first. QUERY
consists of words, as in pith search, which must be in the name or the first
message, and of filters:

` + lookup.FilterHelp() + `

name:A,B passes one of several values, and -name:A those without it. A filter of
entries passes the sessions that have such an entry.

Sessions are sorted by their last user or assistant message. Pinned sessions,
marked with *, come first; archived ones are not listed. With --all the table
has a project column, which marks missing directories. A terminal shows the
first 30 sessions.

--projects lists the projects of these sessions, of all projects by default.

Status: complete, pending (no response yet), interrupted (tool calls without
results), aborted, error, or empty.

Columns for --format:
` + columnList(),
		Example: `  pith ls
  pith ls parser 'status:error since:7d'
  pith ls --all --since 7d --status interrupted,error
  pith ls --projects
  pith ls --all --sort cost --format cost,tokens,title
  pith ls --all --json | jq -r '.[] | select(.messageCount > 100) | .path'`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.CompleteQuery,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.ParseQuery(&f.Query, args); err != nil {
				return err
			}
			f.limited = cmd.Flags().Changed("limit")
			f.given = flags.Of(cmd).Only(append(lookup.FilterFlags(), "sort", "format")...)
			if f.order.Value == string(catalog.OrderRecent) {
				f.given = f.given.Without("sort")
			}
			return a.ls(cmd.Context(), f)
		},
	}
	a.AddQuery(cmd, &f.Query)
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "list the sessions of all projects")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON array")
	cmd.Flags().IntVarP(&f.limit, "limit", "l", 0, "list at most `N` sessions (0: all)")
	cmd.Flags().StringVar(&f.format, "format", "", "print these `COLUMNS` (comma-separated), with tabs between them")
	f.order = flags.Choice(cmd, "sort", "sort `ORDER`", flags.Words(catalog.Orders)...)
	cmd.Flags().BoolVar(&f.projects, "projects", false, "list the projects instead of the sessions")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(columnNames(), cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
	flags.Exclusive(cmd, "json", "format")
	flags.Exclusive(cmd, "projects", "format")
	return cmd
}

// columnList returns the names of the columns, wrapped for help.
func columnList() string {
	var lines []string
	for chunk := range slices.Chunk(columnNames(), 8) {
		lines = append(lines, "  "+strings.Join(chunk, ", "))
	}
	return strings.Join(lines, ",\n")
}

// listLimit is the default number of sessions that a terminal shows.
const listLimit = 30

func (a *Commands) ls(ctx context.Context, f lsFlags) error {
	if f.limit < 0 {
		return exit.Helpf("invalid --limit %d: use 0 or more; see pith ls --help", f.limit)
	}
	f.all = f.all || f.projects
	var chosen []string
	var err error
	if f.format != "" {
		if chosen, err = chosenColumns(f.format); err != nil {
			return err
		}
	}
	marks := a.Marks()
	found, err := a.collect(ctx, &f, marks, chosen != nil || f.projects)
	if err != nil {
		return err
	}
	if f.projects {
		return a.printProjects(found.infos, f.json)
	}
	all, infos, hidden := found.all, found.infos, found.hidden
	if !f.json && chosen == nil {
		showPins(infos, marks)
	}
	shown := len(infos)
	if limit := a.listLimit(f); limit > 0 {
		shown = min(shown, limit)
	}
	switch {
	case f.json:
		err = a.printRecords(a.rows(infos[:shown], all, marks))
	case chosen != nil:
		err = a.printColumns(a.rows(infos[:shown], all, marks), infos[:shown], chosen)
	case found.total == 0:
		return a.noSessions(ctx, f)
	case len(infos) == 0 && hidden > 0:
		a.Note("none of %s matches; %s", humanize.Count(found.total, "session"), a.archivedHint(hidden, f))
	case len(infos) == 0:
		a.Note("none of %s matches", humanize.Count(found.total, "session"))
	default:
		a.printTable(infos[:shown], found.short(infos[:shown]), &f)
		a.noteArchived(hidden, f)
	}
	if err != nil {
		return err
	}
	if more := found.matched - shown; more > 0 && !f.json {
		a.Note("%d more: %s", more, a.Hint(f.arguments("--limit", "0")...))
	}
	a.FillSpare(ctx)
	return nil
}

// A collection is the result of ls.
type collection struct {
	total   int            // sessions
	matched int            // sessions that are wanted
	hidden  int            // sessions that would be wanted if they were not archived
	infos   []catalog.Info // of the wanted ones, in order, as many as are shown
	all     []catalog.Info // all sessions, to find parents and children
	short   func([]catalog.Info) map[string]string
}

// collect finds the sessions that the flags of ls select. Only a command that
// prints records holds all sessions; a table holds those that it may show.
func (a *Commands) collect(ctx context.Context, f *lsFlags, marks func(id string) marks.Marks, columns bool) (collection, error) {
	var c collection
	o := search.Options{Session: lookup.Marked(marks)}
	wanted, archived := o.Chooser(f.Query.Query), f.Has("archived")
	_, ofEntries := f.OfEntries()
	limit := a.listLimit(*f)
	sort := func() {
		catalog.Sort(c.infos, catalog.Order(f.order.Value))
		if !f.json && !columns {
			pinnedFirst(c.infos, marks)
		}
	}
	var oldest time.Time // of those that are shown so far; zero while there are too few
	var omit func(id string, used time.Time) bool
	most := 2*limit + 1000 // held before those that are not shown are dropped
	if !f.json && !columns && limit > 0 && f.IsZero() && catalog.Order(f.order.Value) == catalog.OrderRecent {
		most = 3 * limit // sorting is rare
		omit = func(id string, used time.Time) bool {
			m := marks(id)
			if oldest.IsZero() || !used.Before(oldest) || !m.IsZero() {
				return false
			}
			c.total++
			if !m.Archived {
				c.matched++
			}
			return true
		}
	}
	sessions, short := a.EachWithIDs(ctx, f.everywhere(), f.Has("internal"), omit)
	c.short = short
	if f.json || columns {
		var err error
		if c.all, err = catalog.Sorted(sessions); err != nil {
			return c, err
		}
		sessions = func(yield func(catalog.Info, error) bool) {
			for i := 0; i < len(c.all) && yield(c.all[i], nil); i++ {
			}
		}
	}
	for info, err := range sessions {
		if err != nil {
			return c, err
		}
		c.total++
		if !wanted(&info) {
			continue
		}
		if !archived && (info.Archived || marks(info.ID).Archived) {
			c.hidden++
			continue
		}
		c.matched++
		c.infos = append(c.infos, info)
		if limit > 0 && len(c.infos) >= most && !ofEntries {
			sort()
			c.infos = c.infos[:limit]
			oldest = c.infos[limit-1].Modified
		}
	}
	if ofEntries {
		var err error
		if c.infos, err = a.having(ctx, f.Query.Query, c.infos); err != nil {
			return c, err
		}
		c.matched = len(c.infos)
	}
	sort()
	return c, nil
}

// archivedHint reports how many archived sessions were left out, and how to see
// them.
func (a *Commands) archivedHint(hidden int, f lsFlags) string {
	f.Text = strings.TrimSpace(f.Text + " archived:yes")
	return fmt.Sprintf("%s archived: %s", humanize.Count(hidden, "session"), a.Hint(f.arguments()...))
}

func (a *Commands) noteArchived(hidden int, f lsFlags) {
	if hidden > 0 {
		a.Note("%s", a.archivedHint(hidden, f))
	}
}

// listLimit returns the number of sessions to show; 0 means all.
func (a *Commands) listLimit(f lsFlags) int {
	if f.projects {
		return 0
	}
	if !f.limited && a.Out.Terminal && !f.json && f.format == "" {
		return listLimit
	}
	return f.limit
}

// arguments returns the list as command-line arguments.
func (f *lsFlags) arguments(more ...string) []string {
	args := []string{"ls"}
	if f.Text != "" {
		args = append(args, f.Text)
	}
	if f.all {
		args = append(args, "--all")
	}
	return append(f.given.Arguments(args...), more...)
}

// everywhere reports whether sessions of other projects are listed.
func (f *lsFlags) everywhere() bool { return f.all || f.NamesProject() }

// noSessions reports that there is nothing to list, and what to do.
func (a *Commands) noSessions(ctx context.Context, f lsFlags) error {
	if f.everywhere() {
		a.NoteNoSessions()
		return nil
	}
	others, err := a.List(ctx, true, f.Has("internal"))
	if err != nil {
		return err
	}
	if len(others) == 0 {
		a.NoteNoSessions()
		return nil
	}
	a.Note("no sessions in this project; %s in other projects: %s", humanize.Number(int64(len(others))), a.Hint("ls", "--all"))
	return nil
}

// having returns the sessions with an entry that passes the filters of entries.
func (a *Commands) having(ctx context.Context, q query.Query, infos []catalog.Info) ([]catalog.Info, error) {
	if _, any := q.OfEntries(); !any {
		return infos, nil
	}
	o := search.Options{Catalog: a.Listing(), Index: a.WordIndex()}
	o.Progress = func(read, total int64) { a.Working("reading sessions", read, total, humanize.Bytes) }
	return search.Having(ctx, q, infos, o)
}

// shortMessage is the number of characters of a first message in a record:
// pasted text can be a megabyte.
const shortMessage = 1000

// printRecords prints an array of records.
func (a *Commands) printRecords(records []view.Session) error {
	for i := range records {
		if r := &records[i]; len(r.FirstMessage) > shortMessage {
			r.FirstMessage = r.FirstMessage.Short(shortMessage)
		}
	}
	return a.Out.JSON(records)
}

// rows returns the rows of sessions. It looks for children and projects in the
// whole list.
func (a *Commands) rows(infos, all []catalog.Info, marks func(id string) marks.Marks) []view.Session {
	rows := view.Rows{Among: all, Marks: marks}
	out := make([]view.Session, len(infos))
	for i := range infos {
		out[i] = rows.Row(&infos[i])
	}
	return out
}
