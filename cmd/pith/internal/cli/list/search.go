package list

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/inspect"
)

type searchFlags struct {
	lookup.Query
	sessions bool
	limit    int
	budget   flags.Budget
	order    *flags.OneOf
	given    flags.Given // the flags that select and sort sessions
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
	room, err := f.budget.Budget()
	if err != nil {
		return err
	}
	if err := a.CheckSessionDir(); err != nil {
		return err
	}
	p := ops.SearchParams{Query: f.Whole(), Order: ops.SearchOrder(f.order.Value), Page: ops.Page{Limit: cmp.Or(f.limit, ops.All)}}
	if f.sessions {
		p.Limit = ops.All // count all, however many are shown
	}
	app := a.App()
	r, err := ops.Search(ctx, app, p)
	if err != nil {
		return err
	}
	found := 0
	if r.Entries != nil && !f.sessions {
		found = len(r.Entries.Hits)
		err = a.printHits(ctx, r, &f, room)
	} else {
		list, more := r.Sessions(), r.More || r.Entries != nil && r.Entries.More
		if found = len(list); f.limit > 0 && found > f.limit {
			list, more = list[:f.limit], true
		}
		err = a.printSessions(ctx, list, more, &f, room)
	}
	if err == nil && found == 0 && !a.JSON {
		err = a.noteNothing(ctx, r)
	}
	if r.Entries != nil && r.Entries.Unindexed > 0 {
		a.FillWords(ctx, a.WordIndex())
	}
	if err == nil && found == 0 {
		return exit.ErrNoMatch
	}
	return err
}

// arguments returns the search as command-line arguments.
func (f *searchFlags) arguments(more ...string) []string {
	args := f.given.Arguments("search", f.Text)
	if f.sessions {
		args = append(args, "-l")
	}
	return append(args, more...)
}

// noteRest reports what is not shown: results that did not fit the budget, or more
// than the limit.
func (a *Commands) noteRest(left int, more bool, f *searchFlags) {
	if left > 0 {
		a.Note("%d more; a larger --budget shows them", left)
	} else if more {
		a.Note("more matches: %s", a.Hint(f.arguments("--limit", humanize.Number(int64(10*f.limit)))...))
	}
}

// printSessions prints sessions with the numbers of their matches.
func (a *Commands) printSessions(ctx context.Context, list []ops.SessionMatches, more bool, f *searchFlags, room present.Budget) error {
	if a.JSON {
		r := ops.SessionRecords(list, more)
		n := room.Fit(`{"sessions":[],"more":false}`, present.Each(len(list), func(i int) string { return encoded(r.Sessions[i]) }))
		r.Sessions, r.More = r.Sessions[:n], more || n < len(list)
		return a.Out.JSON(r)
	}
	infos := make([]catalog.Info, len(list))
	for i := range list {
		infos[i] = *list[i].Session
	}
	short := a.ShortIDs(ctx, infos)
	texts := make([]string, len(list))
	for i, s := range list {
		number := ""
		if s.Count > 0 {
			number = "  " + humanize.Count(s.Count, "match")
		}
		texts[i] = a.sessionLine(s.Session, short[s.Session.ID], number)
	}
	n := a.printFitting(room, texts)
	if len(list) > 0 { // the caller says why there is none
		a.noteRest(len(list)-n, more, f)
	}
	return nil
}

// printFitting prints the first pieces that fit, and returns their number.
func (a *Commands) printFitting(room present.Budget, pieces []string) int {
	n := room.Fit("", slices.Values(pieces))
	for i := 0; i < n && !a.Out.Failed(); i++ {
		a.Out.Print(pieces[i])
	}
	return n
}

// encoded returns a record in JSON, to count its tokens.
func encoded(v any) string {
	text, _ := present.JSON(v) // what cannot be encoded is reported when it is printed
	return string(text)
}

// printHits prints the matches, grouped by session.
func (a *Commands) printHits(ctx context.Context, r *ops.Found, f *searchFlags, room present.Budget) error {
	hits := r.Entries.Hits
	if a.JSON {
		out := ops.MatchesOf(r.Entries)
		n := room.Fit(`{"matches":[],"more":false,"sessions":1000,"scanned":1000000,"unindexed":0}`, present.Each(len(hits), func(i int) string { return encoded(out.Matches[i]) }))
		out.Matches, out.More = out.Matches[:n], out.More || n < len(hits)
		return a.Out.JSON(out)
	}
	if len(hits) == 0 {
		return nil
	}
	infos := make([]catalog.Info, len(hits))
	for i := range hits {
		infos[i] = hits[i].Session
	}
	short := a.ShortIDs(ctx, infos)
	texts := make([]string, len(hits))
	for i := range hits {
		h := &hits[i]
		switch {
		case i == 0:
			texts[i] = a.sessionLine(&h.Session, short[h.Session.ID], "")
		case h.Session.Path != hits[i-1].Session.Path:
			texts[i] = "\n" + a.sessionLine(&h.Session, short[h.Session.ID], "")
		}
		texts[i] += a.hitLine(h)
	}
	n := a.printFitting(room, texts)
	if hits[0].EntryID != "" {
		a.Note("read more with %s", a.Hint("show", short[hits[0].Session.ID], "--turns", hits[0].EntryID))
	}
	a.noteRest(len(hits)-n, r.Entries.More, f)
	return nil
}

// noteNothing reports that nothing was found, and why.
func (a *Commands) noteNothing(ctx context.Context, r *ops.Found) error {
	if r.Entries == nil {
		a.Note("none of %s matches", humanize.Count(r.Total, "session"))
		return nil
	}
	if r.Entries.Sessions == 0 {
		a.NoteNoSessions()
		return nil
	}
	nothing := "no matches in " + humanize.Count(r.Entries.Sessions, "session")
	word, ok, err := r.Why(ctx)
	several := len(r.Query.Words) > 1
	switch {
	case err != nil:
		return err
	case ok && word == "":
		nothing += "; each word is found, but no entry has all of them"
	case ok:
		if several {
			nothing += " for " + lookup.Command(word)
		}
		nothing += fmt.Sprintf("; only whole words match: try %s, or %s for parts of words", lookup.Command(word+"*"), lookup.Command("re:"+strings.ToLower(word)))
	}
	a.Note("%s", nothing)
	return nil
}

// sessionLine returns a line about a session, with its short ID and more.
func (a *Commands) sessionLine(s *catalog.Info, id, more string) string {
	tail := more + "  " + termsafe.Line(id) + "  " + a.When(s.Modified) + "  " + termsafe.Line(cmp.Or(a.ShortPath(s.Cwd), "unknown"))
	if lookup.IsForeign(s.Root) {
		tail += "  " + s.Root
	}
	title, w := layout.Flatten(s.Title()), a.Width()
	if w == 0 {
		return termsafe.Fit(title, layout.TitleCells) + tail + "\n"
	}
	tail = termsafe.Fit(tail, max(0, w-layout.LeastTitle))
	title = termsafe.Fit(title, max(4, w-termsafe.Width(tail)))
	if w < layout.LeastTitle+8 {
		tail = ""
	}
	return termsafe.Fit(title, w) + a.Colors.Dim(tail) + "\n"
}

// hitLine returns one entry: its ID, its kind and a snippet with the terms.
func (a *Commands) hitLine(h *search.Hit) string {
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
			return a.Colors.Dim(head) + "\n"
		}
	}
	return a.Colors.Dim(head) + a.snippet(&h.Snippet, room) + "\n"
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
	for _, p := range ops.Parts(s) {
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
