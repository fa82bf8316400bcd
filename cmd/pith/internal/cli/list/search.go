package list

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/budget"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/sessionfilter"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
)

type searchFlags struct {
	lookup.Query
	chosen                bool // filters select sessions
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

and those of pith ls for sessions: source, status, model, cost, size, name, tag
and archived.

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
			q, err := a.parse(args, &f)
			if err != nil {
				return err
			}
			f.given = flags.Of(cmd).Only("here", "project", "source", "status", "model", "since", "until", "sort")
			if f.order.Value == string(search.Newest) {
				f.given = f.given.Without("sort")
			}
			return a.search(cmd.Context(), q, f)
		},
	}
	a.AddQuery(cmd, &f.Query, "search", lookup.UsuallyAll)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	cmd.Flags().BoolVarP(&f.sessions, "list", "l", false, "list only the sessions with matches")
	cmd.Flags().BoolVar(&f.count, "count", false, "list only the sessions, with the number of matches in each")
	cmd.Flags().IntVar(&f.limit, "limit", 20, "show at most `N` matches, or sessions with -l or --count (0: all)")
	f.budget.Add(cmd)
	f.order = flags.Choice(cmd, "sort", "sort `ORDER`", string(search.Newest), string(search.Best))
	return cmd
}

// completeQuery suggests the filters of a query and their values.
func (a *Commands) completeQuery(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	key, _, chosen := strings.Cut(prefix, ":")
	var out []cobra.Completion
	switch {
	case !chosen:
		for _, name := range slices.Concat([]string{"project", "role", "tool", "file", "since", "until", "branch"}, sessionKeys) {
			out = append(out, name+":")
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	case key == "role":
		for _, role := range search.Roles {
			out = append(out, "role:"+role)
		}
	case key == "branch":
		out = []cobra.Completion{"branch:active"}
	default:
		return a.completeFilters(cmd, nil, prefix)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// sessionKeys are the filters of a search that select sessions. The others select
// entries.
var sessionKeys = []string{"source", "status", "model", "cost", "size", "name", "tag", "-tag", "archived"}

// parse parses the query of a search: filters of sessions into f, and the rest. The
// flags --since and --until select entries, like these words.
func (a *Commands) parse(args []string, f *searchFlags) (q search.Query, err error) {
	text := sessionfilter.Join(args)
	ofSessions, ofEntries := sessionfilter.Only(text, sessionKeys...)
	ofFlags, times := sessionfilter.Only(f.FlagText(), sessionKeys...)
	if err := a.ParseQuery(&f.Query, []string{ofSessions}); err != nil {
		return q, err
	}
	f.Text, f.Since, f.Until = text, time.Time{}, time.Time{} // the times are those of entries
	f.chosen = ofSessions != "" || ofFlags != ""
	q, err = search.Parse(strings.TrimSpace(ofEntries+" "+times), a.Env.Now())
	if errors.Is(err, search.ErrQuery) {
		return q, exit.Usagef("%w", err)
	}
	return q, err
}

func (a *Commands) search(ctx context.Context, q search.Query, f searchFlags) error {
	if f.limit < 0 {
		return exit.Usagef("invalid --limit %d: use 0 or more", f.limit)
	}
	if err := f.budget.Check(); err != nil {
		return err
	}
	if err := a.CheckSessionDir(); err != nil {
		return err
	}
	o, err := a.searchOptions(ctx, f)
	if err != nil {
		return err
	}
	if f.chosen && len(o.Paths) == 0 {
		a.Note("no session passes the filters")
		return exit.ErrNoMatch
	}
	bar := a.Progress("reading sessions")
	o.Catalog.Progress = func(done, total int) { bar.At(int64(done), int64(total), humanize.Number) }
	o.Progress = func(read, total int64) { bar.At(read, total, humanize.Bytes) }
	o.Index, o.Catalog.Index = a.WordIndex(), a.SessionIndex()
	r, err := search.Search(ctx, q, o)
	bar.Done()
	if err != nil {
		return err
	}
	switch {
	case f.sessions || f.count:
		err = a.printSessions(ctx, r, f)
	case f.json:
		err = a.printHitRecords(r, f)
	default:
		err = a.printHits(ctx, r, f)
	}
	if err == nil && len(r.Hits) == 0 && !f.json {
		err = a.noteNothing(ctx, r.Sessions, q, o, f.Everywhere())
	}
	if r.Unindexed > 0 {
		a.FillWords(ctx, a.WordIndex())
	}
	if err == nil && len(r.Hits) == 0 {
		return exit.ErrNoMatch
	}
	return err
}

func (a *Commands) searchOptions(ctx context.Context, f searchFlags) (search.Options, error) {
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
	if !f.chosen {
		return o, nil
	}
	infos, err := a.List(ctx, f.Everywhere(), false)
	if err != nil {
		return o, err
	}
	marks := a.Marks()
	for i := range infos {
		if listed, hidden := f.Chooses(&infos[i], marks(infos[i].ID)); listed || hidden {
			o.Paths = append(o.Paths, infos[i].Path)
		}
	}
	return o, nil
}

// arguments returns the search as command-line arguments.
func (f *searchFlags) arguments(more ...string) []string {
	args := f.given.Arguments("search", f.Text)
	if f.sessions {
		args = append(args, "-l")
	}
	if f.count {
		args = append(args, "--count")
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
func (a *Commands) noteNothing(ctx context.Context, sessions int, q search.Query, o search.Options, all bool) error {
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
