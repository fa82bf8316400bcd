package ops

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/internal/near"
)

// Watching returns a function that lists all sessions, for a front end that asks for them
// again and again: it reads what changed. A list is shared and must not be modified.
func Watching(a *App) func(context.Context) ([]catalog.Info, error) {
	return catalog.Watch("", a.Listing()).Sessions
}

// Roots returns the directories that have sessions.
func Roots(a *App) (dirs []string) {
	for _, root := range catalog.Roots(a.Listing(), a.Cwd) {
		dirs = append(dirs, root.Dir)
	}
	return slices.Compact(dirs)
}

// BrowseParams choose sessions while their query is being typed.
type BrowseParams struct {
	Query string
	// Sessions are all sessions, as [Watching] lists them.
	Sessions []catalog.Info
	// Limit is the number of matches after which a search that reads files ends; 0 means
	// none.
	Limit int
}

// A Browsed is what a query chooses while it is being typed.
type Browsed struct {
	Query query.Query // its last word may be the start of one
	Plain query.Query // as it was typed
	// Fault is the error of the query, of which the valid part counts.
	Fault    error
	Sessions []*catalog.Info
	Hits     map[string]*search.Hit // the first match of each session, by its path
	// More says that a search without a limit may find more, and Unindexed that it had to
	// read files: see [Learn].
	More, Unindexed bool
	// Facets has, for some filters, the number of sessions with each value that pass the
	// other filters; the value "" is that of all of them.
	Facets  map[string]map[string]int
	options search.Options
}

// Browse chooses sessions and counts them by the values of filters. Without words and
// filters of marks, archived ones are left out.
func Browse(ctx context.Context, a *App, p BrowseParams) (*Browsed, error) {
	b := &Browsed{options: a.searching(""), Hits: map[string]*search.Hit{}}
	b.options.Sessions, b.options.First = p.Sessions, true
	env := a.env("", nil)
	b.Query, b.Fault = query.Typed(p.Query, env)
	b.Plain, _ = query.Parse(p.Query, env)
	b.count(p.Sessions)
	_, ofEntries := b.Query.OfEntries()
	switch {
	case b.Query.Finds():
		return b, b.search(ctx, p, ofEntries)
	case ofEntries || len(b.Query.Words) > 0:
		passing, err := search.Sessions(ctx, b.Query, b.options)
		passes := make(map[string]bool, len(passing))
		for i := range passing {
			passes[passing[i].Path] = true
		}
		b.Sessions = slices.DeleteFunc(b.Sessions, func(i *catalog.Info) bool { return !passes[i.Path] })
		return b, err
	}
	return b, nil
}

// count chooses the sessions that pass the filters, and counts the facets, in one pass.
func (b *Browsed) count(sessions []catalog.Info) {
	names := []string{"source", "project", "model", "status", "tag"}
	others, hide := b.Query.Without(names...), !b.Query.Has("archived", "tag")
	b.Facets = map[string]map[string]int{}
	filters := make([]query.Query, len(names))
	for n, name := range names {
		filters[n], b.Facets[name] = b.Query.Only(name), map[string]int{}
	}
	for i := range sessions {
		s := b.options.Session(&sessions[i])
		if !others.MatchSession(&s) || hide && (s.Archived || s.Info.Archived) {
			continue
		}
		missed, failures := 0, 0
		for n := range filters {
			if !filters[n].MatchSession(&s) {
				missed, failures = n, failures+1
			}
		}
		if failures == 0 {
			b.Sessions = append(b.Sessions, &sessions[i])
		}
		for n, name := range names {
			if failures > 1 || failures == 1 && missed != n {
				continue
			}
			counts := b.Facets[name]
			counts[""]++
			for _, value := range ValuesOf(name, &s) {
				if value != "" && value != "." {
					counts[value]++
				}
			}
		}
	}
}

// ValuesOf returns the values of a filter that choose a session, for the filters with few
// values.
func ValuesOf(filter string, s *query.Session) []string {
	switch filter {
	case "source":
		if s.Root == "" || s.Root == catalog.RootCustom {
			return []string{catalog.RootPi}
		}
		return []string{s.Root}
	case "project":
		return []string{filepath.Base(s.Cwd)}
	case "model":
		return []string{filepath.Base(s.Model)}
	case "status":
		return []string{string(s.Status)}
	case "tag":
		return s.Tags
	}
	return nil
}

// search chooses the sessions with matches, or with the words in their titles, which a
// list shows.
func (b *Browsed) search(ctx context.Context, p BrowseParams, ofEntries bool) error {
	o := b.options
	o.Limit = p.Limit
	got, err := search.Search(ctx, search.For(b.Query), o)
	if err != nil {
		return err
	}
	b.More, b.Unindexed = got.More, got.Unindexed > 0 && !got.More
	for i := range got.Hits { // without counts of the index there may be several of a session
		h := &got.Hits[i]
		if first := b.Hits[h.Session.Path]; first != nil {
			h.Matches = max(first.Matches, 1) + max(h.Matches, 1)
		}
		b.Hits[h.Session.Path] = h
	}
	inTitle := o.Chooser(b.Query)
	b.Sessions = nil
	for i := range p.Sessions {
		if info := &p.Sessions[i]; b.Hits[info.Path] != nil || !ofEntries && inTitle(info) {
			b.Sessions = append(b.Sessions, info)
		}
	}
	return nil
}

// Missing returns the first word of the query that no session has, and the most similar
// word of a title or a project; "" if there is none.
func (b *Browsed) Missing(ctx context.Context) (word, similar string, err error) {
	f := &Found{Query: b.Plain, options: b.options}
	f.options.First = false
	if word, _, err = f.Why(ctx); word == "" {
		return "", "", err
	}
	known := map[string]bool{}
	for i := range b.options.Sessions {
		s := &b.options.Sessions[i]
		for w := range strings.FieldsFuncSeq(strings.ToLower(s.Title()+" "+filepath.Base(s.Cwd)), func(r rune) bool {
			return r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x80
		}) {
			if len(w) < len(word)+4 && len(word) < len(w)+4 {
				known[w] = true
			}
		}
	}
	return word, near.Word(word, slices.Sorted(maps.Keys(known))), nil
}

// Refine returns a query with one value of a filter in place of those that it has; the
// value "" means none.
func Refine(q query.Query, filter, value string) string {
	text := q.Without(filter).String()
	if value != "" {
		text = strings.TrimSpace(text + " " + query.Quote(filter, value))
	}
	return text
}

// Within returns the IDs of the entries of a session that match a query while it is being
// typed; an invalid one matches nothing.
func Within(ctx context.Context, a *App, session catalog.Info, text string, most int) ([]string, error) {
	ids := []string{}
	q, err := query.Typed(text, a.env("", nil))
	if _, ofEntries := q.OfEntries(); err != nil || !q.Finds() && !ofEntries {
		return ids, nil
	}
	o := a.searching("")
	o.Sessions, o.Limit = []catalog.Info{session}, most
	got, err := search.Search(ctx, search.For(q), o)
	for i := range got.Hits {
		ids = append(ids, got.Hits[i].EntryID)
	}
	return ids, err
}

// Learn builds the index of words for a while, and reports whether there is more to do.
// Nothing depends on it.
func Learn(ctx context.Context, a *App, within time.Duration) (more bool) {
	o, start := a.searching(""), time.Now()
	if o.Index == nil || o.Index.Fill(ctx, search.Build{Catalog: o.Catalog, Within: within}) != nil {
		return false
	}
	return time.Since(start) >= within
}
