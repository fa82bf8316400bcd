package recall

import (
	"context"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
)

// Options configure where to search and how much to return. The zero value
// searches the sessions of all projects without an index.
type Options struct {
	// Search selects the sessions and the indexes. Sessions, if set, should
	// include internal ones. Order and Limit are ignored.
	Search search.Options
	// Families are those of Search.Sessions, for a caller that asks repeatedly;
	// nil means that they are computed for this answer.
	Families *Families
	// Except are ids of sessions to leave out, usually that of the caller.
	Except []string
	// Entries returns every turn that was found. Otherwise only the best
	// one of each session is returned.
	Entries bool
	// Offset is the number of results to skip, Limit the number to return; 0
	// means DefaultLimit.
	Offset, Limit int
}

// DefaultLimit is the default for Options.Limit.
const DefaultLimit = 10

// A Memory is a turn that answers a question.
type Memory struct {
	Session catalog.Info
	Hit     search.Hit // the best entry of the turn
	Turn
	// Copies are ids of other sessions with the same content: forks, clones,
	// subagents.
	Copies []string
	// More is the number of other turns of the session that were found.
	More  int
	Score float64
	// Share is the part of the question that the turn contains, by the weight of its
	// words: 1 for all of them.
	Share float64
}

// An Answer contains memories, the best first.
type Answer struct {
	Memories []Memory
	// More is the number of memories after these.
	More int
	// Loose means that no entry contains all that was asked for, and that
	// entries with a part of it are returned instead.
	Loose bool
	// Sessions is the number of sessions that were searched, Unindexed the
	// number of their bytes that are not in the index.
	Sessions  int
	Unindexed int64
}

// considered is the number of hits that are grouped into turns.
const considered = 120

// mostOpened is the number of sessions that are opened to group their hits by
// turn: those with the best hits. The others are not in the first answers.
const mostOpened = 10

// Ask finds the turns that a question is about. The error is that of ctx or of a
// list.
func Ask(ctx context.Context, question query.Query, o Options) (Answer, error) {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	q := relax(question)
	if err := o.list(ctx); err != nil {
		return Answer{}, err
	}
	o.Search.Order, o.Search.Limit = search.Best, considered
	found, err := search.Search(ctx, q, o.Search)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Sessions: found.Sessions, Unindexed: found.Unindexed}
	if len(found.Hits) == 0 && !q.Any && len(q.Terms) > 1 {
		a.Loose = true
		loosen(&q)
		if found, err = search.Search(ctx, q, o.Search); err != nil {
			return Answer{}, err
		}
	}
	r := ranking{o: &o, rarity: found.Rarity, families: o.families(), open: newShelf(o.Search)}
	defer r.open.close()
	memories := r.rank(ctx, found.Hits)
	if !o.Entries {
		memories = onePerSession(memories)
	}
	memories = memories[min(o.Offset, len(memories)):]
	if len(memories) > o.Limit {
		a.More = len(memories) - o.Limit
		memories = memories[:o.Limit]
	}
	path := func(i int) string { return memories[i].Session.Path }
	r.open.each(ctx, len(memories), path, func(v *volume, i int) { v.readTurn(&memories[i]) })
	a.Memories = memories
	return a, ctx.Err()
}
