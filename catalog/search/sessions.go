package search

import (
	"context"
	"math"
	"slices"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
)

// Sessions returns the sessions that a query chooses in a list, newest first:
// those that pass its filters, have its words in their texts, and have an entry
// that passes its filters of entries. Of the options, Order and the limits are
// ignored.
func Sessions(ctx context.Context, q query.Query, o Options) ([]catalog.Info, error) {
	of := For(q)
	infos, err := o.sessions(ctx, &of)
	if err != nil {
		return nil, err
	}
	chosen, passes := []catalog.Info{}, o.Chooser(q)
	for i := range infos {
		if o.Selects(&of, &infos[i]) && passes(&infos[i]) {
			chosen = append(chosen, infos[i])
		}
	}
	return Having(ctx, q, chosen, o)
}

// Chooser returns a function that reports whether a session passes the filters
// of sessions, including those of times, and has the words of the query in its
// texts.
func (o *Options) Chooser(q query.Query) func(*catalog.Info) bool {
	words := For(query.Query{Words: q.Words})
	passes := func(s query.Session) bool {
		return q.MatchSession(&s) && (len(q.Words) == 0 || words.MatchTexts(s.Texts()...))
	}
	if o.Veil == nil || excludes(q) {
		return func(info *catalog.Info) bool { return passes(o.session(info)) }
	}
	return func(info *catalog.Info) bool { // checking the plain text first is cheaper
		return passes(o.plainSession(info)) && passes(o.session(info))
	}
}

// excludes reports whether a session can pass a query by what it does not have.
func excludes(q query.Query) bool {
	return slices.ContainsFunc(q.Words, func(w query.Word) bool { return w.Not || w.Form == query.Regexp }) ||
		slices.ContainsFunc(q.Conditions, func(c query.Condition) bool { return c.Not })
}

// Having returns the sessions with an entry that passes the filters of entries
// of a query; all if it has none.
func Having(ctx context.Context, q query.Query, infos []catalog.Info, o Options) ([]catalog.Info, error) {
	entries, any := q.OfEntries()
	if !any {
		return infos, nil
	}
	o.Sessions, o.Order, o.PerSession, o.First, o.Limit = infos, Newest, 1, false, math.MaxInt32
	o.Catalog.IncludeInternal = true // they are chosen already
	found, err := Search(ctx, Query{Filters: entries}, o)
	if err != nil {
		return nil, err
	}
	has := make(map[string]bool, len(found.Hits))
	for i := range found.Hits {
		has[found.Hits[i].Session.Path] = true
	}
	return slices.DeleteFunc(slices.Clone(infos), func(i catalog.Info) bool { return !has[i.Path] }), nil
}
