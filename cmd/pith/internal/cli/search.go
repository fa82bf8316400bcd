package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

type searchFlags struct {
	here, json bool
	limit      int
	order      *oneOf
}

func (a *app) searchCommand() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Find what was said, done and noted in sessions",
		Long: `Find entries by what stands in them: in what was said and thought, in tool calls
and their results, in summaries, labels and names, on all branches of the
sessions of all projects. Newest first.

A query is words, all of which must stand in the entry, in any letter case and
with accents or without:

  word           a whole word
  parse_config   words that follow each other
  "a phrase"     the same with spaces; mind the quotes of your shell
  conf*          a word that begins so
  re:EXPR        a regular expression, re:"EXPR" if it has spaces

and filters:

  project:TEXT  role:ROLE  tool:NAME  file:TEXT  since:TIME  until:TIME  branch:active

Roles are user, assistant, tool, bash, system, custom, summary, label and name.`,
		Example: `  pith search linker error
  pith search '"connection refused"' tool:bash since:7d
  pith search 're:func (Open|Close)\w+\(' project:pith
  pith search file:main.go role:assistant --json`,
		Args: takes(1, -1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return a.search(cmd.Context(), queryText(args), f) },
	}
	cmd.Flags().BoolVar(&f.here, "here", false, "search the sessions of this project only")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	cmd.Flags().IntVarP(&f.limit, "limit", "n", 20, "find at most `N` entries")
	f.order = choice(cmd, "sort", "order of what is found", string(search.Newest), string(search.Best))
	return cmd
}

// queryText joins arguments. One that a shell kept together with its spaces is a
// phrase when there are others, and the whole query when it is alone.
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

func (a *app) search(ctx context.Context, text string, f searchFlags) error {
	if f.limit < 1 {
		return usagef("--limit %d: use 1 or more", f.limit)
	}
	q, err := search.Parse(text, a.env.Now())
	if errors.Is(err, search.ErrQuery) {
		return usagef("%w", err)
	}
	if err != nil {
		return err
	}
	if err := a.checkSessionDir(); err != nil {
		return err
	}
	o := search.Options{Catalog: a.listing(), Index: a.wordIndex(), Tables: a.tables(), Limit: f.limit, Order: search.Order(f.order.value)}
	o.Catalog.Skipped = func(path string, err error) { a.note("note: passed over %s: %v", path, cause(err)) }
	if f.here {
		if o.Cwd, err = a.cwd(); err != nil {
			return err
		}
	}
	r, err := search.Search(ctx, q, o)
	if err != nil {
		return err
	}
	if f.json {
		err = a.out.json(searchRecord(r))
	} else {
		a.printHits(r, text, f)
	}
	if r.Unindexed > 0 {
		a.fillWords(ctx, o.Index)
	}
	return err
}

// printHits prints what was found, below the sessions that it is in.
func (a *app) printHits(r search.Results, text string, f searchFlags) {
	if len(r.Hits) == 0 {
		a.note("nothing found in %s", humanize.Count(r.Sessions, "session"))
		return
	}
	last := ""
	for i := range r.Hits {
		if a.out.failed() {
			return
		}
		h := &r.Hits[i]
		if h.Session.Path != last {
			if last != "" {
				a.out.print("\n")
			}
			last = h.Session.Path
			a.printFoundSession(h)
		}
		a.printHit(h)
	}
	first := &r.Hits[0]
	if first.EntryID != "" {
		a.note("read on with %s", a.hint("show", first.Session.ID, "--at", first.EntryID))
	}
	if r.More {
		a.note("there is more; %s", a.hint("search", text, "--limit", humanize.Number(int64(10*f.limit))))
	}
}

func (a *app) printFoundSession(h *search.Hit) {
	tail := "  " + termsafe.Line(h.Session.ID) + "  " + a.when(h.Session.Modified) + "  " + termsafe.Line(cmp.Or(a.homely(h.Session.Cwd), "unknown"))
	title := strings.Join(strings.Fields(termsafe.Fit(h.Session.Title(), 4*titleCells)), " ")
	room := titleCells
	if w := a.width(); w > 0 {
		tail = termsafe.Fit(tail, max(0, w-leastTitle))
		room = max(4, w-termsafe.Width(tail))
		title = termsafe.Fit(title, room)
		a.out.print(termsafe.Fit(title, w))
		if w < leastTitle+8 {
			a.out.print("\n")
			return
		}
		a.out.print(a.colors.dim(tail) + "\n")
		return
	}
	a.out.print(termsafe.Fit(title, room) + tail + "\n")
}

// printHit prints one entry: its id, what it is, and where the terms are.
func (a *app) printHit(h *search.Hit) {
	what := cmp.Or(h.Role, string(h.Type))
	switch {
	case h.Tool != "":
		what += " " + h.Tool
	case h.Kind == search.KindThinking:
		what += " thinking"
	}
	head := "  " + termsafe.Pad(termsafe.Fit(cmp.Or(h.EntryID, "-"), 12), 8) + "  " + termsafe.Fit(what, 24) + "  "
	room := 0
	if w := a.width(); w > 0 {
		head = termsafe.Fit(head, w)
		room = w - termsafe.Width(head)
		if room < 8 {
			a.out.print(a.colors.dim(head) + "\n")
			return
		}
	}
	a.out.print(a.colors.dim(head) + a.snippet(&h.Snippet, room) + "\n")
}

// snippet is a snippet with its marks painted, in so many cells; 0 means any
// number.
func (a *app) snippet(s *search.Snippet, cells int) string {
	var b strings.Builder
	used := 0
	put := func(text string, t tone) bool {
		text = termsafe.Line(text)
		if cells > 0 && used+termsafe.Width(text) > cells {
			text = termsafe.Fit(text+"…", cells-used)
			b.WriteString(a.colors.paint(t, text))
			used = cells
			return false
		}
		used += termsafe.Width(text)
		b.WriteString(a.colors.paint(t, text))
		return true
	}
	if s.Before {
		put("…", toneDim)
	}
	for _, p := range partsOf(s) {
		t := toneNone
		if p.Match {
			t = toneFound
		}
		if !put(string(p.Text), t) {
			return b.String()
		}
	}
	if s.After {
		put("…", toneDim)
	}
	return b.String()
}
