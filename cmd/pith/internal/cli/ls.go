package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/housekeeping/marks"
)

type lsFlags struct {
	all, json, internal bool
	limit               int
	limited             bool // --limit was given
	format              string
	order               *oneOf
	filterFlags
	shelfFlags
}

func (a *app) lsCommand() *cobra.Command {
	var f lsFlags
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List sessions, newest first",
		Long: `List the sessions of this project, or of all projects, newest first.

Newest is the one in which the user or the assistant said something last; a
rename does not count. Pinned sessions, marked with *, come first; archived ones
are left out. With --all the table names the projects too, and marks those whose
folder is missing. On a terminal it is as wide as the terminal and shows the first
30 sessions; elsewhere it is complete.

The state of a session is that of its last message: complete (the assistant ended
its turn), pending (the user waits for an answer), interrupted (tools were called
and not answered), aborted, error, or empty.

The columns of --format are:
` + columnList(),
		Example: `  pith ls
  pith ls --all --limit 50
  pith ls --all --since 7d --status interrupted,error
  pith ls --all --sort cost --format cost,tokens,title
  pith ls --all --json | jq -r '.[] | select(.messageCount > 100) | .path'`,
		Args: takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.limited = cmd.Flags().Changed("limit")
			return a.ls(cmd.Context(), f)
		},
	}
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "list the sessions of all projects")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON array")
	cmd.Flags().IntVarP(&f.limit, "limit", "n", 0, "list at most `N` sessions (0: all)")
	cmd.Flags().BoolVar(&f.internal, "internal", false, "list also sessions that machinery made for itself")
	cmd.Flags().StringVar(&f.format, "format", "", "print these `COLUMNS`, comma-separated, with tabs between them")
	f.order = choice(cmd, "sort", "order of the list", words(catalog.Orders)...)
	f.filterFlags.add(cmd)
	f.shelfFlags.add(cmd)
	_ = cmd.RegisterFlagCompletionFunc("tag", a.completeTags)                                                               // the flag was just made
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(columnNames(), cobra.ShellCompDirectiveNoFileComp)) // and so was this
	exclusive(cmd, "json", "format")
	return cmd
}

// columnList is the names of the columns, in lines of help.
func columnList() string {
	var lines []string
	for chunk := range slices.Chunk(columnNames(), 8) {
		lines = append(lines, "  "+strings.Join(chunk, ", "))
	}
	return strings.Join(lines, ",\n")
}

// listLimit is how many sessions a terminal shows unless told otherwise.
const listLimit = 30

func (a *app) ls(ctx context.Context, f lsFlags) error {
	if f.limit < 0 {
		return usagef("--limit %d: use 0 or more; see pith ls --help", f.limit)
	}
	f.all = f.all || f.project != ""
	filter, err := f.filter(a.env.Now())
	if err != nil {
		return err
	}
	var chosen []column
	if f.format != "" {
		if chosen, err = chosenColumns(f.format); err != nil {
			return err
		}
	}
	all, err := a.sessions(ctx, f.all, f.internal)
	if err != nil {
		return err
	}
	marks := a.marks()
	infos := slices.DeleteFunc(slices.Clone(all), func(i catalog.Info) bool { return !filter.Match(&i) })
	infos, hidden := f.choose(infos, marks)
	catalog.Sort(infos, catalog.Order(f.order.value))
	if !f.json && chosen == nil {
		showPins(infos, marks)
	}
	shown := len(infos)
	if limit := a.listLimit(f); limit > 0 {
		shown = min(shown, limit)
	}
	switch {
	case f.json:
		return a.out.json(sessionRecords(infos[:shown], all, marks))
	case chosen != nil:
		a.printColumns(infos[:shown], sessionRecords(infos[:shown], all, marks), chosen)
	case len(all) == 0:
		return a.noSessions(ctx, f)
	case len(infos) == 0 && hidden > 0:
		a.note("none of %s is like that; %s", humanize.Count(len(all), "session"), a.archivedHint(hidden, f))
	case len(infos) == 0:
		a.note("none of %s is like that", humanize.Count(len(all), "session"))
	default:
		a.printSessions(infos, shown, f.all)
		a.noteArchived(hidden, f)
	}
	if more := len(infos) - shown; more > 0 {
		a.note("%d more; see them all with %s", more, a.hint(lsArgs(f, "--limit", "0")...))
	}
	a.fillSpare(ctx)
	return nil
}

// archivedHint says that sessions were left out because they are archived, and
// how to see them.
func (a *app) archivedHint(hidden int, f lsFlags) string {
	return fmt.Sprintf("%s archived: %s", humanize.Count(hidden, "session"), a.hint(lsArgs(f, "--archived")...))
}

func (a *app) noteArchived(hidden int, f lsFlags) {
	if hidden > 0 {
		a.note("%s", a.archivedHint(hidden, f))
	}
}

// listLimit is how many sessions are shown; 0 means all.
func (a *app) listLimit(f lsFlags) int {
	if !f.limited && a.out.terminal && !f.json && f.format == "" {
		return listLimit
	}
	return f.limit
}

func lsArgs(f lsFlags, more ...string) []string {
	args := []string{"ls"}
	if f.all {
		args = append(args, "--all")
	}
	if f.internal {
		args = append(args, "--internal")
	}
	args = append(append(args, f.filterFlags.arguments()...), f.shelfFlags.arguments()...)
	if f.order != nil && f.order.value != string(catalog.OrderRecent) {
		args = append(args, "--sort", f.order.value)
	}
	if f.format != "" {
		args = append(args, "--format", f.format)
	}
	return append(args, more...)
}

// sessions are those of this project, or all, newest first. What cannot be read
// is told and passed over.
func (a *app) sessions(ctx context.Context, all, internal bool) ([]catalog.Info, error) {
	if err := a.checkSessionDir(); err != nil {
		return nil, err
	}
	o := a.listing()
	o.IncludeInternal = internal
	o.Skipped = func(path string, err error) { a.note("note: passed over %s: %v", path, cause(err)) }
	bar := a.progress("reading sessions")
	defer bar.done()
	o.Progress = func(done, total int) { bar.at(int64(done), int64(total), humanize.Number) }
	if all {
		return catalog.Sorted(catalog.ListAll(ctx, o))
	}
	cwd, err := a.cwd()
	if err != nil {
		return nil, err
	}
	return catalog.Sorted(catalog.List(ctx, cwd, o))
}

// checkSessionDir tells a folder without sessions from a misspelt one.
func (a *app) checkSessionDir() error {
	if a.sessionDir == "" {
		return nil
	}
	info, err := os.Stat(a.sessionDir)
	switch {
	case err != nil:
		return fmt.Errorf("session folder %s: %w", a.sessionDir, cause(err))
	case !info.IsDir():
		return usagef("--session-dir %s is not a folder", a.sessionDir)
	}
	return nil
}

// noSessions says that there is nothing to list, and what to do.
func (a *app) noSessions(ctx context.Context, f lsFlags) error {
	if f.all {
		a.note("no sessions found; make sample ones with pith demo")
		return nil
	}
	others, err := a.sessions(ctx, true, f.internal)
	if err != nil {
		return err
	}
	if len(others) == 0 {
		a.note("no sessions found; make sample ones with pith demo")
		return nil
	}
	a.note("no sessions of this project; %s of other projects: %s", humanize.Number(int64(len(others))), a.hint("ls", "--all"))
	return nil
}

// A sessionRecord is one session in JSON, as docs/cli.md describes it.
type sessionRecord struct {
	Path          jsText   `json:"path"`
	ID            jsText   `json:"id"`
	Name          *jsText  `json:"name"`
	Cwd           jsText   `json:"cwd"`
	ParentSession *jsText  `json:"parentSession"`
	Created       *string  `json:"created"`
	Modified      *string  `json:"modified"`
	MessageCount  int      `json:"messageCount"`
	FirstMessage  jsText   `json:"firstMessage"`
	Model         *jsText  `json:"model"`
	Size          int64    `json:"size"`
	Pinned        bool     `json:"pinned"`
	Archived      bool     `json:"archived"`
	Tags          []string `json:"tags"`
	Project       jsText   `json:"project"`
	Missing       bool     `json:"missing"`
	Version       int      `json:"version"`
	Entries       int      `json:"entries"`
	Findings      int      `json:"findings"`
	Root          string   `json:"root"`
	Internal      bool     `json:"internal"`

	Status     catalog.Status `json:"status"`
	Branches   int            `json:"branches"`
	Tokens     int64          `json:"tokens"`
	CostMicros int64          `json:"costMicros"`
	Children   []jsText       `json:"children"`
}

// sessionRecords are the records of sessions; their children and the names of
// their projects are looked for in the whole list.
func sessionRecords(infos, all []catalog.Info, marks func(id string) marks.Marks) []sessionRecord {
	children := catalog.Children(all)
	projects := projectsByCwd(all)
	out := make([]sessionRecord, len(infos))
	for i := range infos {
		s := &infos[i]
		home := projects[s.Cwd]
		out[i] = sessionRecord{
			Path: jsText(s.Path), ID: jsText(s.ID), Name: jsTextOrNull(s.Name), Cwd: jsText(s.Cwd),
			ParentSession: jsTextOrNull(s.ParentSession), Created: timeOrNull(s.Created), Modified: timeOrNull(s.Modified),
			MessageCount: s.MessageCount, FirstMessage: jsText(s.FirstMessage), Model: jsTextOrNull(s.Model),
			Size: s.Size, Project: jsText(home.Dir), Missing: home.Missing, Version: s.Version, Entries: s.Entries, Findings: s.Findings, Root: s.Root, Internal: s.Internal,
			Status: s.Status, Branches: s.Branches, Tokens: s.Spent.Tokens(), CostMicros: s.Spent.CostMicros,
			Children: []jsText{},
		}
		out[i].mark(marks(s.ID))
		for _, c := range children[s.Path] {
			out[i].Children = append(out[i].Children, jsText(all[c].ID))
		}
	}
	return out
}

// timeOrNull is a time as the format writes it; null when it is unknown.
func timeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := format.FormatTime(t)
	return &s
}
