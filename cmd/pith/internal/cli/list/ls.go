// Package list implements the commands that read many sessions: ls, search,
// usage, projects, and the overview that pith prints without a command.
package list

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/inspect"
)

// Commands holds the commands of this package.
type Commands struct{ *lookup.Sessions }

type lsFlags struct {
	lookup.Query
	all, projects bool
	limit         int
	limited       bool        // --limit was given
	given         flags.Given // the flags that select and sort sessions, without --all
	format        string
	order         *flags.OneOf
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
	for chunk := range slices.Chunk(columnNames(), 7) {
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
	l, err := a.listed(ctx, f)
	if err != nil {
		return err
	}
	if f.projects {
		return a.printProjects(l.Sessions)
	}
	matched := len(l.Sessions) + l.Left
	if limit := a.listLimit(f); limit > 0 {
		l.Sessions = l.Sessions[:min(len(l.Sessions), limit)]
	}
	switch {
	case a.JSON:
		err = a.printRecords(l.Rows())
	case chosen != nil:
		err = a.printColumns(l.Rows(), l.Sessions, chosen)
	case len(l.Among) == 0:
		return a.noSessions(ctx, f)
	case matched == 0 && l.Archived > 0:
		a.Note("none of %s matches; %s", humanize.Count(len(l.Among), "session"), a.archivedHint(l.Archived, f))
	case matched == 0:
		a.Note("none of %s matches", humanize.Count(len(l.Among), "session"))
	default:
		a.printTable(l.Sessions, l.ShortIDs(ctx, a.App(), l.Sessions), l.Marks, &f)
		a.noteArchived(l.Archived, f)
	}
	if err != nil {
		return err
	}
	if more := matched - len(l.Sessions); more > 0 && !a.JSON {
		a.Note("%d more: %s", more, a.Hint(f.arguments("--limit", "0")...))
	}
	a.FillSpare(ctx)
	return nil
}

// listed finds the sessions that the flags select, pinned ones first in a table.
func (a *Commands) listed(ctx context.Context, f lsFlags) (*ops.Listing, error) {
	if err := a.CheckSessionDir(); err != nil {
		return nil, err
	}
	p := ops.ListAllParams{Query: f.Whole(), Text: new(bool), Order: catalog.Order(f.order.Value), NoArchived: true, PinnedFirst: !a.JSON && f.format == "" && !f.projects}
	if !a.JSON && f.format == "" {
		p.Limit = a.listLimit(f)
	}
	var l *ops.Listing
	var err error
	if f.everywhere() {
		l, err = ops.ListAll(ctx, a.App(), p)
	} else {
		var cwd string
		if cwd, err = a.Cwd(); err == nil {
			l, err = ops.List(ctx, a.App(), ops.ListParams{Cwd: cwd, ListAllParams: p})
		}
	}
	if err == nil {
		a.noteUnmarked(l.Unmarked)
	}
	return l, err
}

// noteUnmarked notes that pins and tags could not be read.
func (a *Commands) noteUnmarked(err error) {
	if _, nowhere := a.StateDir(); err != nil && nowhere == nil {
		a.Note("note: cannot read pins and tags: %v", err)
	}
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
	if !f.limited && a.Out.Terminal && !a.JSON && f.format == "" {
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

// shortMessage is the number of characters of a first message in a record:
// pasted text can be a megabyte.
const shortMessage = 1000

// printRecords prints an array of records.
func (a *Commands) printRecords(records []ops.Row) error {
	for i := range records {
		records[i].FirstMessage = string(inspect.Text(records[i].FirstMessage).Short(shortMessage))
	}
	return a.Out.JSON(records)
}
