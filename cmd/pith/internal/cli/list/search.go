package list

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/jsonout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
)

type searchFlags struct {
	here, json bool
	limit      int
	order      *flags.OneOf
}

func (a *Commands) Search() *cobra.Command {
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
		Args: flags.Takes(1, -1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return a.search(cmd.Context(), queryText(args), f) },
	}
	cmd.Flags().BoolVar(&f.here, "here", false, "search the sessions of this project only")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	cmd.Flags().IntVarP(&f.limit, "limit", "n", 20, "find at most `N` entries")
	f.order = flags.Choice(cmd, "sort", "order of what is found", string(search.Newest), string(search.Best))
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

func (a *Commands) search(ctx context.Context, text string, f searchFlags) error {
	if f.limit < 1 {
		return exit.Usagef("--limit %d: use 1 or more", f.limit)
	}
	q, err := search.Parse(text, a.Env.Now())
	if errors.Is(err, search.ErrQuery) {
		return exit.Usagef("%w", err)
	}
	if err != nil {
		return err
	}
	if err := a.CheckSessionDir(); err != nil {
		return err
	}
	o := search.Options{Catalog: a.Listing(), Index: a.WordIndex(), Tables: a.Tables(), Limit: f.limit, Order: search.Order(f.order.Value)}
	o.Catalog.Skipped = func(path string, err error) { a.Note("note: passed over %s: %v", path, lookup.Cause(err)) }
	if f.here {
		if o.Cwd, err = a.Cwd(); err != nil {
			return err
		}
	}
	r, err := search.Search(ctx, q, o)
	if err != nil {
		return err
	}
	if f.json {
		err = a.Out.JSON(searchRecord(r))
	} else {
		a.printHits(r, text, f)
	}
	if r.Unindexed > 0 {
		a.FillWords(ctx, o.Index)
	}
	return err
}

// printHits prints what was found, below the sessions that it is in.
func (a *Commands) printHits(r search.Results, text string, f searchFlags) {
	if len(r.Hits) == 0 {
		a.Note("nothing found in %s", humanize.Count(r.Sessions, "session"))
		return
	}
	last := ""
	for i := range r.Hits {
		if a.Out.Failed() {
			return
		}
		h := &r.Hits[i]
		if h.Session.Path != last {
			if last != "" {
				a.Out.Print("\n")
			}
			last = h.Session.Path
			a.printFoundSession(h)
		}
		a.printHit(h)
	}
	first := &r.Hits[0]
	if first.EntryID != "" {
		a.Note("read on with %s", a.Hint("show", first.Session.ID, "--at", first.EntryID))
	}
	if r.More {
		a.Note("there is more; %s", a.Hint("search", text, "--limit", humanize.Number(int64(10*f.limit))))
	}
}

func (a *Commands) printFoundSession(h *search.Hit) {
	tail := "  " + termsafe.Line(h.Session.ID) + "  " + a.When(h.Session.Modified) + "  " + termsafe.Line(cmp.Or(a.Homely(h.Session.Cwd), "unknown"))
	title := strings.Join(strings.Fields(termsafe.Fit(h.Session.Title(), 4*layout.TitleCells)), " ")
	room := layout.TitleCells
	if w := a.Width(); w > 0 {
		tail = termsafe.Fit(tail, max(0, w-layout.LeastTitle))
		room = max(4, w-termsafe.Width(tail))
		title = termsafe.Fit(title, room)
		a.Out.Print(termsafe.Fit(title, w))
		if w < layout.LeastTitle+8 {
			a.Out.Print("\n")
			return
		}
		a.Out.Print(a.Colors.Dim(tail) + "\n")
		return
	}
	a.Out.Print(termsafe.Fit(title, room) + tail + "\n")
}

// printHit prints one entry: its id, what it is, and where the terms are.
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

// snippet is a snippet with its marks painted, in so many cells; 0 means any
// number.
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
	for _, p := range partsOf(s) {
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

// searchResult is what was found in JSON, as docs/cli.md describes it.
type searchResult struct {
	Hits      []hitRecord `json:"hits"`
	More      bool        `json:"more"`
	Sessions  int         `json:"sessions"`
	Scanned   int64       `json:"scanned"`
	Unindexed int64       `json:"unindexed"`
}

type hitRecord struct {
	Session     jsonout.Text  `json:"session"`
	Path        jsonout.Text  `json:"path"`
	SessionName *jsonout.Text `json:"sessionName"`
	Cwd         jsonout.Text  `json:"cwd"`
	Entry       *jsonout.Text `json:"entry"`
	Type        jsonout.Text  `json:"type"`
	Role        *jsonout.Text `json:"role"`
	Kind        search.Kind   `json:"kind"`
	Tool        *jsonout.Text `json:"tool"`
	Time        *string       `json:"time"`
	Score       float64       `json:"score"`
	Snippet     jsonout.Text  `json:"snippet"`
	Parts       []snippetPart `json:"parts"`
}

// A snippetPart is a piece of a snippet that is all found, or not at all.
type snippetPart struct {
	Text  jsonout.Text `json:"text"`
	Match bool         `json:"match"`
}

func searchRecord(r search.Results) searchResult {
	out := searchResult{Hits: make([]hitRecord, len(r.Hits)), More: r.More, Sessions: r.Sessions, Scanned: r.Scanned, Unindexed: r.Unindexed}
	for i := range r.Hits {
		h := &r.Hits[i]
		out.Hits[i] = hitRecord{
			Session: jsonout.Text(h.Session.ID), Path: jsonout.Text(h.Session.Path), SessionName: jsonout.TextOrNull(h.Session.Name), Cwd: jsonout.Text(h.Session.Cwd),
			Entry: jsonout.TextOrNull(h.EntryID), Type: jsonout.Text(h.Type), Role: jsonout.TextOrNull(h.Role), Kind: h.Kind, Tool: jsonout.TextOrNull(h.Tool),
			Time: jsonout.TimeOrNull(h.Time), Score: h.Score, Snippet: jsonout.Text(h.Snippet.Text), Parts: partsOf(&h.Snippet),
		}
	}
	return out
}

// partsOf cuts a snippet at its marks.
func partsOf(s *search.Snippet) []snippetPart {
	out := []snippetPart{}
	at := 0
	add := func(end int, match bool) {
		if end > at {
			out = append(out, snippetPart{jsonout.Text(s.Text[at:end]), match})
			at = end
		}
	}
	for _, m := range s.Marks {
		add(m.Start, false)
		add(m.End, true)
	}
	add(len(s.Text), false)
	return out
}
