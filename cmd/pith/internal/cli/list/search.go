package list

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/budget"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
)

type searchFlags struct {
	lookup.Scope
	json, sessions, count bool
	limit                 int
	budget                budget.Flag
	order                 *flags.OneOf
	given                 flags.Given // the flags that select and sort sessions, without --all
}

func (a *Commands) Search() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Search messages, tool calls, results, summaries and names",
		Long: `Search the entries of all sessions: messages, thinking, tool calls and results,
summaries, labels and names, on all branches. Newest first.

An entry matches if it contains all words of the query. Case and accents do not
matter:

  word           a whole word
  parse_config   adjacent words
  "a phrase"     adjacent words with spaces; quote it for your shell
  conf*          words that start with conf
  re:EXPR        a regular expression; re:"EXPR" if it contains spaces

Filters, alone or with words:

  project:TEXT  role:ROLE  tool:NAME  file:TEXT  since:TIME  until:TIME
  branch:active

Roles are user, assistant, tool, bash, system, custom, summary, label and name.

Exit status is 0 if there is a match and 1 if there is none.`,
		Example: `  pith search linker error
  pith search '"connection refused"' tool:bash since:7d
  pith search 're:func (Open|Close)\w+\(' project:pith
  pith search file:main.go role:assistant --json
  pith search -l deploy since:30d --project app`,
		Args:              flags.Takes(1, -1, 0),
		ValidArgsFunction: a.completeQuery,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = flags.Of(cmd).Only("here", "project", "source", "sort")
			if f.order.Value == string(search.Newest) {
				f.given = f.given.Without("sort")
			}
			return a.search(cmd.Context(), queryText(args), f)
		},
	}
	a.AddScope(cmd, &f.Scope, "search", lookup.UsuallyAll)
	a.AddSources(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	cmd.Flags().BoolVarP(&f.sessions, "list", "l", false, "list only the sessions with matches")
	cmd.Flags().BoolVar(&f.count, "count", false, "list only the sessions, with the number of matches in each")
	cmd.Flags().IntVar(&f.limit, "limit", 20, "show at most `N` matches, or sessions with -l or --count (0: all)")
	flags.OldShorthand(cmd, "n", "limit")
	f.budget.Add(cmd)
	f.order = flags.Choice(cmd, "sort", "sort `ORDER`", string(search.Newest), string(search.Best))
	return cmd
}

// completeQuery suggests the filters of a query and their values.
func (a *Commands) completeQuery(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	key, value, chosen := strings.Cut(prefix, ":")
	if !chosen {
		return []cobra.Completion{"project:", "role:", "tool:", "file:", "since:", "until:", "branch:"}, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	var values []cobra.Completion
	switch key {
	case "project":
		values = a.CompleteProjects(cmd, value)
	case "role":
		values = slices.Clone(search.Roles)
	case "since", "until":
		values = []cobra.Completion{"today", "yesterday", "this-week", "last-week", "this-month", "last-month", "7d", "30d"}
	case "branch":
		values = []cobra.Completion{"active"}
	}
	for i := range values {
		values[i] = key + ":" + values[i]
	}
	return values, cobra.ShellCompDirectiveNoFileComp
}

// queryText joins the arguments of a query. An argument with spaces is a phrase
// if there are others, and the whole query if it is the only one.
func queryText(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	out := make([]string, len(args))
	for i, arg := range args {
		if strings.ContainsAny(arg, " \t\n") && !strings.Contains(arg, `"`) {
			if key, rest, ok := strings.Cut(arg, ":"); ok && !strings.Contains(key, " ") {
				arg = key + `:"` + rest + `"`
			} else {
				arg = `"` + arg + `"`
			}
		}
		out[i] = arg
	}
	return strings.Join(out, " ")
}

func (a *Commands) search(ctx context.Context, text string, f searchFlags) error {
	if f.limit < 0 {
		return exit.Usagef("invalid --limit %d: use 0 or more", f.limit)
	}
	if err := f.budget.Check(); err != nil {
		return err
	}
	q, err := search.Parse(text, a.Env.Now())
	if errors.Is(err, search.ErrQuery) {
		return exit.Usagef("%w", err)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(a.CheckSessionDir(), a.CheckSources()); err != nil {
		return err
	}
	o, err := a.searchOptions(f)
	if err != nil {
		return err
	}
	bar := a.Progress("reading sessions")
	o.Catalog.Progress = func(done, total int) { bar.At(int64(done), int64(total), humanize.Number) }
	o.Progress = func(read, total int64) { bar.At(read, total, humanize.Bytes) }
	r, asked, err := a.SearchTeam(ctx, q, o, f.Everywhere())
	if err == nil && !asked {
		o.Index, o.Catalog.Index = a.WordIndex(), a.SessionIndex() // those of a mirror open late
		r, err = search.Search(ctx, q, o)
	}
	bar.Done()
	if err != nil {
		return err
	}
	switch {
	case f.sessions || f.count:
		err = a.printSessions(ctx, r, text, f)
	case f.json:
		err = a.printHitRecords(r, f)
	default:
		err = a.printHits(ctx, r, &q, text, f)
	}
	if r.Unindexed > 0 {
		a.FillWords(ctx, a.WordIndex())
	}
	if err == nil && len(r.Hits) == 0 {
		return exit.ErrNoMatch
	}
	return err
}

func (a *Commands) searchOptions(f searchFlags) (search.Options, error) {
	o := search.Options{Catalog: a.Listing(), Limit: f.limit, Order: search.Order(f.order.Value)}
	o.Catalog.Skipped = func(path string, err error) { a.Note("note: skipped %s: %v", path, lookup.Cause(err)) }
	switch {
	case f.count, f.limit == 0, f.sessions && o.Order == search.Best:
		o.Limit = math.MaxInt32 // count all, however many are shown
	case f.sessions:
		o.PerSession = 1
	}
	if f.Project != "" {
		o.Within = a.Within(&f.Scope)
	}
	if !f.Everywhere() {
		var err error
		if o.Cwd, err = a.Cwd(); err != nil {
			return o, err
		}
	}
	return o, nil
}

// arguments returns the search as command-line arguments.
func (f *searchFlags) arguments(text string, more ...string) []string {
	args := f.given.Arguments("search", text)
	if f.sessions {
		args = append(args, "-l")
	}
	if f.count {
		args = append(args, "--count")
	}
	return append(args, more...)
}

// noteMore reports that there are more matches than the limit.
func (a *Commands) noteMore(text string, f *searchFlags) {
	a.Note("more matches: %s", a.Hint(f.arguments(text, "--limit", humanize.Number(int64(10*f.limit)))...))
}

// printHits prints the matches, grouped by session.
func (a *Commands) printHits(ctx context.Context, r search.Results, q *search.Query, text string, f searchFlags) error {
	if len(r.Hits) == 0 {
		a.noteNothing(r.Sessions, q)
		return nil
	}
	short := a.shortIDs(ctx, r.Hits)
	shown, err := f.budget.Print(a.Console, len(r.Hits), func(n int) error {
		a.printFound(r.Hits[:n], short)
		return nil
	})
	if err != nil {
		return err
	}
	first := &r.Hits[0]
	if first.EntryID != "" {
		a.Note("read more with %s", a.Hint("show", short[first.Session.ID], "--at", first.EntryID, "--around", "1"))
	}
	switch {
	case shown < len(r.Hits):
		a.Note("%d more; a larger --budget shows them", len(r.Hits)-shown)
	case r.More:
		a.noteMore(text, &f)
	}
	return nil
}

// noteNothing reports that nothing was found, and how to match parts of words.
func (a *Commands) noteNothing(sessions int, q *search.Query) {
	if sessions == 0 {
		a.NoteNoSessions()
		return
	}
	for _, t := range q.Terms {
		if t.Regexp == nil && !t.Prefix && len(t.Words) == 1 {
			word := t.Words[0]
			a.Note("no matches in %s; only whole words match: try %s, or %s for parts of words", humanize.Count(sessions, "session"),
				lookup.Command(word+"*"), lookup.Command("re:(?i)"+word))
			return
		}
	}
	a.Note("no matches in %s", humanize.Count(sessions, "session"))
}

func (a *Commands) shortIDs(ctx context.Context, hits []search.Hit) map[string]string {
	infos := make([]catalog.Info, len(hits))
	for i := range hits {
		infos[i] = hits[i].Session
	}
	return a.ShortIDs(ctx, infos)
}

func (a *Commands) printFound(hits []search.Hit, short map[string]string) {
	last := ""
	for i := range hits {
		if a.Out.Failed() {
			return
		}
		h := &hits[i]
		if h.Session.Path != last {
			if last != "" {
				a.Out.Print("\n")
			}
			last = h.Session.Path
			a.printFoundSession(&h.Session, short[h.Session.ID], "")
		}
		a.printHit(h)
	}
}

// printFoundSession prints a line about a session, with its short ID and more.
func (a *Commands) printFoundSession(s *catalog.Info, id, more string) {
	tail := more + "  " + termsafe.Line(id) + "  " + a.When(s.Modified) + "  " + termsafe.Line(cmp.Or(a.ShortPath(s.Cwd), "unknown"))
	if lookup.IsForeign(s.Root) {
		tail += "  " + s.Root
	}
	if who := a.Who(s.Path); who != "" {
		tail += "  " + termsafe.Line(who)
	}
	title, w := layout.Flatten(s.Title()), a.Width()
	if w == 0 {
		a.Out.Print(termsafe.Fit(title, layout.TitleCells) + tail + "\n")
		return
	}
	tail = termsafe.Fit(tail, max(0, w-layout.LeastTitle))
	title = termsafe.Fit(title, max(4, w-termsafe.Width(tail)))
	a.Out.Print(termsafe.Fit(title, w))
	if w >= layout.LeastTitle+8 {
		a.Out.Print(a.Colors.Dim(tail))
	}
	a.Out.Print("\n")
}

// printHit prints one entry: its ID, its kind and a snippet with the terms.
func (a *Commands) printHit(h *search.Hit) {
	what := cmp.Or(h.Role, string(h.Type))
	switch {
	case h.Tool != "":
		what += " " + h.Tool
	case h.Kind == search.KindThinking:
		what += " thinking"
	}
	head := "  " + termsafe.Pad(termsafe.Fit(cmp.Or(h.EntryID, "-"), 12), 8) + "  " + termsafe.Fit(what, 24) + "  "
	room := 0
	if w := a.Width(); w > 0 {
		head = termsafe.Fit(head, w)
		room = w - termsafe.Width(head)
		if room < 8 {
			a.Out.Print(a.Colors.Dim(head) + "\n")
			return
		}
	}
	a.Out.Print(a.Colors.Dim(head) + a.snippet(&h.Snippet, room) + "\n")
}

// snippet returns a snippet with its matches painted, cut to a number of cells;
// 0 means no limit.
func (a *Commands) snippet(s *search.Snippet, cells int) string {
	var b strings.Builder
	used := 0
	put := func(text string, t tone.Tone) bool {
		text = termsafe.Line(text)
		if cells > 0 && used+termsafe.Width(text) > cells {
			text = termsafe.Fit(text+"…", cells-used)
			b.WriteString(a.Colors.Paint(t, text))
			used = cells
			return false
		}
		used += termsafe.Width(text)
		b.WriteString(a.Colors.Paint(t, text))
		return true
	}
	if s.Before {
		put("…", tone.Dim)
	}
	for _, p := range view.Parts(s) {
		t := tone.None
		if p.Match {
			t = tone.Found
		}
		if !put(string(p.Text), t) {
			return b.String()
		}
	}
	if s.After {
		put("…", tone.Dim)
	}
	return b.String()
}
