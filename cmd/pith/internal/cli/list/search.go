package list

import (
	"cmp"
	"context"
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
	"github.com/pith-sessions/pith/inspect"
)

type searchFlags struct {
	lookup.Query
	json, sessions bool
	limit          int
	budget         budget.Flag
	order          *flags.OneOf
	given          flags.Given // the flags that select and sort sessions
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
  -word          not in entries with this word

and passes the filters; see pith ls --help. since: and until: are about the time
of the entry. A query without words lists the sessions that pass.

Roles are user, assistant, tool, bash, system, custom, summary, label and name.

Exit status is 0 if there is a match and 1 if there is none.`,
		Example: `  pith search linker error
  pith search '"connection refused"' tool:bash since:7d
  pith search 're:func (Open|Close)\w+\(' project:pith
  pith search file:main.go role:assistant --json
  pith search -l deploy since:30d --project app`,
		Args:              flags.Takes(0, -1, 0),
		ValidArgsFunction: a.CompleteQuery,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.ParseQuery(&f.Query, args); err != nil {
				return err
			}
			if f.IsZero() {
				return exit.Helpf("the query is empty; see pith search --help")
			}
			f.given = flags.Of(cmd).Only(append(lookup.FilterFlags(), "sort")...)
			if f.order.Value == string(search.Newest) {
				f.given = f.given.Without("sort")
			}
			return a.search(cmd.Context(), f)
		},
	}
	a.AddQuery(cmd, &f.Query)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	cmd.Flags().BoolVarP(&f.sessions, "list", "l", false, "list only the sessions, with the number of matches in each")
	cmd.Flags().IntVar(&f.limit, "limit", 20, "show at most `N` matches, or sessions with -l (0: all)")
	f.budget.Add(cmd)
	f.order = flags.Choice(cmd, "sort", "sort `ORDER`", string(search.Newest), string(search.Best))
	return cmd
}

func (a *Commands) search(ctx context.Context, f searchFlags) error {
	if f.limit < 0 {
		return exit.Usagef("invalid --limit %d: use 0 or more", f.limit)
	}
	if err := f.budget.Check(); err != nil {
		return err
	}
	if err := a.CheckSessionDir(); err != nil {
		return err
	}
	if !f.Finds() {
		return a.searchSessions(ctx, f)
	}
	q, o := search.For(f.Query.Query), a.searchOptions(f)
	o.Catalog.Progress = func(done, total int) { a.Working("reading sessions", int64(done), int64(total), humanize.Number) }
	o.Progress = func(read, total int64) { a.Working("reading sessions", read, total, humanize.Bytes) }
	o.Index, o.Catalog.Index = a.WordIndex(), a.SessionIndex()
	r, err := search.Search(ctx, q, o)
	if err != nil {
		return err
	}
	switch {
	case f.sessions:
		err = a.printSessions(ctx, foundSessions(r.Hits), r.More, f)
	case f.json:
		err = a.printHitRecords(r, f)
	default:
		err = a.printHits(ctx, r, f)
	}
	if err == nil && len(r.Hits) == 0 && !f.json {
		err = a.noteNothing(ctx, r.Sessions, q, o)
	}
	if r.Unindexed > 0 {
		a.FillWords(ctx, a.WordIndex())
	}
	if err == nil && len(r.Hits) == 0 {
		return exit.ErrNoMatch
	}
	return err
}

func (a *Commands) searchOptions(f searchFlags) search.Options {
	o := search.Options{Catalog: a.Listing(), Limit: f.limit, Order: search.Order(f.order.Value), Session: lookup.Marked(a.Marks())}
	o.Catalog.Skipped = func(path string, err error) { a.Note("note: skipped %s: %v", path, lookup.Cause(err)) }
	if f.sessions || f.limit == 0 {
		o.Limit = math.MaxInt32 // count all, however many are shown
	}
	return o
}

// searchSessions lists the sessions that a query without words chooses.
func (a *Commands) searchSessions(ctx context.Context, f searchFlags) error {
	infos, err := a.List(ctx, true, f.Has("internal"))
	if err != nil {
		return err
	}
	total := len(infos)
	passes := (&search.Options{Session: lookup.Marked(a.Marks())}).Chooser(f.Query.Query)
	infos = slices.DeleteFunc(infos, func(i catalog.Info) bool { return !passes(&i) })
	if infos, err = a.having(ctx, f.Query.Query, infos); err != nil {
		return err
	}
	list := make([]foundSession, len(infos))
	for i := range infos {
		list[i].info = &infos[i]
	}
	if err := a.printSessions(ctx, list, false, f); err != nil {
		return err
	}
	if len(infos) == 0 {
		if !f.json {
			a.Note("none of %s matches", humanize.Count(total, "session"))
		}
		return exit.ErrNoMatch
	}
	return nil
}

// arguments returns the search as command-line arguments.
func (f *searchFlags) arguments(more ...string) []string {
	args := f.given.Arguments("search", f.Text)
	if f.sessions {
		args = append(args, "-l")
	}
	return append(args, more...)
}

// noteMore reports that there are more matches than the limit.
func (a *Commands) noteMore(f *searchFlags) {
	a.Note("more matches: %s", a.Hint(f.arguments("--limit", humanize.Number(int64(10*f.limit)))...))
}

// printHits prints the matches, grouped by session.
func (a *Commands) printHits(ctx context.Context, r search.Results, f searchFlags) error {
	if len(r.Hits) == 0 {
		return nil
	}
	infos := make([]catalog.Info, len(r.Hits))
	for i := range r.Hits {
		infos[i] = r.Hits[i].Session
	}
	short := a.ShortIDs(ctx, infos)
	shown, err := f.budget.Print(a.Console, len(r.Hits), func(n int) error {
		a.printFound(r.Hits[:n], short)
		return nil
	})
	if err != nil {
		return err
	}
	first := &r.Hits[0]
	if first.EntryID != "" {
		a.Note("read more with %s", a.Hint("show", short[first.Session.ID], "--turns", first.EntryID))
	}
	switch {
	case shown < len(r.Hits):
		a.Note("%d more; a larger --budget shows them", len(r.Hits)-shown)
	case r.More:
		a.noteMore(&f)
	}
	return nil
}

// noteNothing reports that nothing was found, and why: the first word that no
// session has, or that no entry has all words.
func (a *Commands) noteNothing(ctx context.Context, sessions int, q search.Query, o search.Options) error {
	if sessions == 0 {
		a.NoteNoSessions()
		return nil
	}
	nothing := "no matches in " + humanize.Count(sessions, "session")
	o.Limit, o.PerSession, o.Progress, o.Catalog.Progress, o.Catalog.Skipped = 1, 0, nil, nil, nil
	for _, t := range q.Terms {
		if len(q.Terms) > 1 {
			alone := q
			alone.Terms = []search.Term{t}
			r, err := search.Search(ctx, alone, o)
			if err != nil {
				return err
			}
			if len(r.Hits) > 0 {
				continue
			}
		}
		if t.Regexp != nil || t.Prefix || len(t.Words) != 1 {
			a.Note("%s", nothing)
			return nil
		}
		word := t.Words[0]
		if len(q.Terms) > 1 {
			nothing += " for " + lookup.Command(word)
		}
		a.Note("%s; only whole words match: try %s, or %s for parts of words", nothing, lookup.Command(word+"*"), lookup.Command("re:(?i)"+word))
		return nil
	}
	if len(q.Terms) > 1 {
		nothing += "; each word is found, but no entry has all of them"
	}
	a.Note("%s", nothing)
	return nil
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
	case h.Kind == inspect.PartThinking:
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
