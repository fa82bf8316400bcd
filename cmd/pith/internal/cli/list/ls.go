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
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/budget"
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
	json, internal, full, projects bool
	limit                          int
	limited                        bool        // --limit was given
	given                          flags.Given // the flags that select and sort sessions, without --all
	budget                         budget.Flag
	format                         string
	order                          *flags.OneOf
}

func (a *Commands) Ls() *cobra.Command {
	var f lsFlags
	cmd := &cobra.Command{
		Use:   "ls [QUERY...]",
		Short: "List sessions, newest first",
		Long: `List the sessions of this project, or of all projects, newest first. QUERY
consists of words, which must be in the name, the first message, the ID or the
project, and of filters:

` + filterList() + `

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
		ValidArgsFunction: a.completeFilters,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.ParseQuery(&f.Query, args); err != nil {
				return err
			}
			f.limited = cmd.Flags().Changed("limit")
			f.given = flags.Of(cmd).Only("project", "source", "internal", "since", "until", "model", "status", "sort", "format")
			if f.order.Value == string(catalog.OrderRecent) {
				f.given = f.given.Without("sort")
			}
			return a.ls(cmd.Context(), f)
		},
	}
	a.AddQuery(cmd, &f.Query, "list", lookup.UsuallyHere)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON array")
	cmd.Flags().BoolVar(&f.full, "full", false, "with --json: do not shorten first messages")
	f.budget.Add(cmd)
	cmd.Flags().IntVarP(&f.limit, "limit", "l", 0, "list at most `N` sessions (0: all)")
	cmd.Flags().BoolVar(&f.internal, "internal", false, "include sessions that programs made for their own use")
	cmd.Flags().StringVar(&f.format, "format", "", "print these `COLUMNS` (comma-separated), with tabs between them")
	f.order = flags.Choice(cmd, "sort", "sort `ORDER`", flags.Words(catalog.Orders)...)
	cmd.Flags().BoolVar(&f.projects, "projects", false, "list the projects instead of the sessions")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(columnNames(), cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
	flags.Exclusive(cmd, "json", "format")
	flags.Exclusive(cmd, "projects", "here")
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
	if err := f.budget.Check(); err != nil {
		return err
	}
	f.All = f.All || f.projects
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
		if f.full {
			if err := a.readFirstMessages(ctx, infos[:shown]); err != nil {
				return err
			}
		}
		shown, err = a.printRecords(a.rows(infos[:shown], all, marks), &f)
	case chosen != nil:
		shown, err = f.budget.Print(a.Console, shown, func(n int) error {
			return a.printColumns(a.rows(infos[:n], all, marks), infos[:n], chosen)
		})
	case found.total == 0:
		return a.noSessions(ctx, f)
	case len(infos) == 0 && hidden > 0:
		a.Note("none of %s matches; %s", humanize.Count(found.total, "session"), a.archivedHint(hidden, f))
	case len(infos) == 0:
		a.Note("none of %s matches", humanize.Count(found.total, "session"))
	default:
		shown, err = a.printTable(infos[:shown], found.short(infos[:shown]), &f)
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
	wanted := a.Within(&f.Scope)
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
	if !f.json && !columns && limit > 0 && !f.Any() && f.Project == "" && catalog.Order(f.order.Value) == catalog.OrderRecent {
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
	sessions, short := a.EachWithIDs(ctx, f.Everywhere(), f.internal, omit)
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
		if !wanted(info.Cwd) {
			continue
		}
		chosen, archived := f.Chooses(&info, marks(info.ID))
		if archived {
			c.hidden++
		}
		if !chosen {
			continue
		}
		c.matched++
		c.infos = append(c.infos, info)
		if limit > 0 && len(c.infos) >= most {
			sort()
			c.infos = c.infos[:limit]
			oldest = c.infos[limit-1].Modified
		}
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
	if f.All {
		args = append(args, "--all")
	}
	return append(f.given.Arguments(args...), more...)
}

// noSessions reports that there is nothing to list, and what to do.
func (a *Commands) noSessions(ctx context.Context, f lsFlags) error {
	if f.Everywhere() {
		a.NoteNoSessions()
		return nil
	}
	others, err := a.List(ctx, true, f.internal)
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

// shortMessage is the number of characters of a first message in a record
// without --full: pasted text can be a megabyte.
const shortMessage = 1000

// readFirstMessages reads the first messages in full. A list keeps only their
// beginnings.
func (a *Commands) readFirstMessages(ctx context.Context, infos []catalog.Info) error {
	for i := range infos {
		whole, err := catalog.Facts(ctx, catalog.Ref{Path: infos[i].Path, Root: infos[i].Root}, catalog.Options{Text: true})
		if err != nil {
			return lookup.Shorten(err)
		}
		infos[i].FirstMessage = whole.FirstMessage
	}
	return nil
}

// printRecords prints an array of records, as many as fit the budget, and
// returns their number.
func (a *Commands) printRecords(records []view.Session, f *lsFlags) (int, error) {
	for i := range records {
		if r := &records[i]; !f.full && len(r.FirstMessage) > shortMessage {
			r.FirstMessage = r.FirstMessage.Short(shortMessage)
		}
	}
	shown, err := f.budget.Print(a.Console, len(records), func(n int) error { return a.Out.JSON(records[:n]) })
	if shown < len(records) {
		a.Note("%d more; a larger --budget shows them", len(records)-shown)
	}
	return shown, err
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
