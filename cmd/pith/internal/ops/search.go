package ops

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/recall"
)

// A SearchOrder is the order of matches.
type SearchOrder string

// ByRelevance is the order in which agents remember: the best match of each session.
const ByRelevance SearchOrder = "relevance"

// Words implements [Words].
func (SearchOrder) Words() []string {
	return []string{string(search.Newest), string(search.Best), string(ByRelevance)}
}

// All is the limit of a list that has none.
const All = -1

// A Page is a part of a list.
type Page struct {
	Limit  int `json:"limit"` // 0 means the usual number
	Offset int `json:"offset"`
}

func (p *Page) limit() int {
	if p.Limit < 0 {
		return math.MaxInt32
	}
	return cmp.Or(p.Limit, 20)
}

// SearchParams choose the matches of Search.
type SearchParams struct {
	Query string `json:"query" need:"value"`
	Where
	Order SearchOrder `json:"order"`
	Page
}

// A Found is the result of Search. One of the first three is set.
type Found struct {
	Entries  *search.Results
	Memories *recall.Answer // in the order ByRelevance
	Chosen   []catalog.Info // the sessions that a query without words chooses
	More     bool           // there are more of these
	Total    int            // of the sessions from which they were chosen
	Query    query.Query
	options  search.Options
}

// Record returns the result as it is encoded.
func (f *Found) Record() any {
	switch {
	case f.Entries != nil:
		return MatchesOf(f.Entries)
	case f.Memories != nil:
		return recalled(f.Memories)
	}
	return SessionRecords(f.Sessions(), f.More)
}

// Search finds entries, or with a query without words sessions.
func Search(ctx context.Context, a *App, p SearchParams) (*Found, error) {
	a, cwd := p.in(a)
	q, err := a.query(p.Query, cwd, nil)
	if err == nil && q.IsZero() {
		err = &ParamError{"query", query.ErrEmpty.Error()}
	}
	if err != nil {
		return nil, err
	}
	a = a.of(q)
	f := &Found{Query: q, options: a.searching(cwd)}
	o := f.options
	switch {
	case !q.Finds():
		o.Catalog.IncludeInternal = q.Has("internal")
		var err error
		if o.Sessions, err = catalog.Sorted(catalog.ListAll(ctx, o.Catalog)); err != nil {
			return nil, err
		}
		infos, err := search.Sessions(ctx, q, o)
		if err != nil {
			return nil, err
		}
		f.Total = len(o.Sessions)
		infos = infos[min(p.Offset, len(infos)):]
		f.Chosen, f.More = infos[:min(p.limit(), len(infos))], len(infos) > p.limit()
		return f, nil
	case p.Order == ByRelevance:
		a, err := recall.Ask(ctx, q, recall.Options{Search: o, Limit: p.limit(), Offset: p.Offset})
		f.Memories = &a
		return f, err
	}
	o.Limit, o.Order = min(p.limit()+p.Offset, math.MaxInt32), search.Order(p.Order)
	r, err := search.Search(ctx, search.For(q), o)
	if err == nil {
		r.Hits = r.Hits[min(p.Offset, len(r.Hits)):]
	}
	f.Entries = &r
	return f, err
}

// A SessionMatches is a session with the number of its matches; 0 for a session that a
// query without words chooses.
type SessionMatches struct {
	Session *catalog.Info
	Count   int
}

// Sessions returns the sessions of a result, in its order.
func (f *Found) Sessions() (list []SessionMatches) {
	for i := range f.Chosen {
		list = append(list, SessionMatches{&f.Chosen[i], 0})
	}
	at := map[string]int{}
	for i := 0; f.Entries != nil && i < len(f.Entries.Hits); i++ {
		s := &f.Entries.Hits[i].Session
		n, ok := at[s.Path]
		if !ok {
			n = len(list)
			at[s.Path], list = n, append(list, SessionMatches{Session: s})
		}
		list[n].Count++
	}
	return list
}

// SessionRecords returns sessions as they are encoded.
func SessionRecords(list []SessionMatches, more bool) FoundSessions {
	out := FoundSessions{make([]FoundSession, len(list)), more}
	for i, s := range list {
		out.Sessions[i] = FoundSession{RefOf(s.Session), s.Session.Root, inspect.Text(s.Session.Title()).Short(mostTitle), s.Session.Modified, s.Count}
	}
	return out
}

// A FoundSession is a session with matches, as it is encoded.
type FoundSession struct {
	Ref
	Source   string       `json:"source"`
	Title    inspect.Text `json:"title"`
	Modified time.Time    `json:"modified"`
	Count    int          `json:"count,omitempty"` // of matches
}

// FoundSessions is the result of a query without words, or of a search for sessions.
type FoundSessions struct {
	Sessions []FoundSession `json:"sessions"`
	More     bool           `json:"more"`
}

// Matches are the entries that a search found, as they are encoded.
type Matches struct {
	Matches   []Match `json:"matches"`
	More      bool    `json:"more"`     // there are more than requested
	Sessions  int     `json:"sessions"` // number of sessions searched
	Scanned   int64   `json:"scanned"`  // number of bytes read
	Unindexed int64   `json:"unindexed"`
}

// A Match is an entry that a search found.
type Match struct {
	Ref
	Source string `json:"source"`
	*search.Hit
	Snippet string `json:"snippet"`
	Parts   []Part `json:"parts"`
	// Turn is set for searches by relevance.
	Turn *turn `json:"turn,omitempty"`
}

// A turn describes the topic and the result of a turn.
type turn struct {
	*recall.Turn
	Copies []string `json:"copies"` // IDs of other sessions with the same turn
}

// A Part is a piece of a snippet that matches completely or not at all.
type Part struct {
	Text  string `json:"text"`
	Match bool   `json:"match"`
}

// MatchesOf returns the results of a search as they are encoded.
func MatchesOf(r *search.Results) Matches {
	out := Matches{make([]Match, len(r.Hits)), r.More, r.Sessions, r.Scanned, r.Unindexed}
	for i := range r.Hits {
		out.Matches[i] = match(&r.Hits[i])
	}
	return out
}

func recalled(a *recall.Answer) Matches {
	out := Matches{Matches: make([]Match, len(a.Memories)), More: a.More > 0, Sessions: a.Sessions, Unindexed: a.Unindexed}
	for i := range a.Memories {
		m := &a.Memories[i]
		out.Matches[i] = match(&m.Hit)
		out.Matches[i].Turn = &turn{&m.Turn, m.Copies}
	}
	return out
}

func match(h *search.Hit) Match {
	return Match{Ref: RefOf(&h.Session), Source: h.Session.Root, Hit: h, Snippet: h.Snippet.Text, Parts: Parts(&h.Snippet)}
}

// Parts cuts a snippet at its marks.
func Parts(s *search.Snippet) (out []Part) {
	at := 0
	add := func(end int, match bool) {
		if end > at {
			out = append(out, Part{s.Text[at:end], match})
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

// of returns the App for the agents whose sessions a query wants: others are not read.
func (a *App) of(q query.Query) *App {
	if len(a.Sources) > 0 {
		return a
	}
	only := *a
	for _, name := range q.Wants("source") {
		only.Sources = append(only.Sources, strings.ToLower(name))
	}
	return &only
}

// Why says why a search found nothing: the first word that no session has, which is
// "" if every word occurs and no entry has all of them. ok is false if the reason is
// another one.
func (f *Found) Why(ctx context.Context) (word string, ok bool, err error) {
	q, o := search.For(f.Query), f.options
	o.Limit, o.Progress, o.Catalog.Progress, o.Catalog.Skipped = 1, nil, nil, nil
	for _, t := range q.Terms {
		if len(q.Terms) > 1 {
			alone := q
			alone.Terms = []search.Term{t}
			r, err := search.Search(ctx, alone, o)
			if err != nil {
				return "", false, err
			}
			if len(r.Hits) > 0 {
				continue
			}
		}
		if t.Regexp != nil || t.Prefix || len(t.Words) != 1 {
			return "", false, nil
		}
		return t.Words[0], true, nil
	}
	return "", len(q.Terms) > 1, nil
}
