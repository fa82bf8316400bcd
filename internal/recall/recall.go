package recall

import (
	"context"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
)

// Options say where to look and how much is wanted. The zero value looks into the
// sessions of all projects, without an index.
type Options struct {
	// Search says where the sessions are, and which indexes there are. Sessions, if
	// there are any, should hold also the internal ones. Order and Limit do not count.
	Search search.Options
	// Families are those of Search.Sessions, for a caller who asks again and again; nil
	// means that they are found for this answer.
	Families *Families
	// Except are ids of sessions that are left out: that of who asks, mostly.
	Except []string
	// Entries tells each exchange that was found. Otherwise there is one for each
	// session: the best.
	Entries bool
	// Offset skips so many, Limit is how many are told; 0 means DefaultLimit.
	Offset, Limit int
	// Now is when the question is asked. Zero means time.Now.
	Now time.Time
}

// DefaultLimit is how many memories there are unless told otherwise.
const DefaultLimit = 10

// A Memory is an exchange that answers a question.
type Memory struct {
	Session catalog.Info
	Hit     search.Hit // the entry of the exchange that says most
	Exchange
	// Copies are ids of other sessions that hold the same: forks, clones, subagents.
	Copies []string
	// More is how many other exchanges of the session were found.
	More  int
	Score float64
}

// An Answer is what is remembered, the best first.
type Answer struct {
	Memories []Memory
	// More is how many come after these.
	More int
	// Loose says that no entry holds all that was asked for, and that entries with
	// a part of it are told instead.
	Loose bool
	// Sessions is how many sessions were searched, Unindexed how many bytes of them
	// are not in the index.
	Sessions  int
	Unindexed int64
}

// considered is how many hits are put together to exchanges.
const considered = 120

// mostOpened is how many sessions are opened to see which of their hits are of one
// exchange: those with the best hits. The others are not among the first answers.
const mostOpened = 10

// Ask finds the exchanges that a question is about. The error is that of the
// context, of a list, or matches search.ErrQuery.
func Ask(ctx context.Context, question string, o Options) (Answer, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	q, err := parse(question, o.Now)
	if err != nil {
		return Answer{}, err
	}
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
	r.open.each(ctx, len(memories), path, func(v *volume, i int) { v.tell(&memories[i]) })
	a.Memories = memories
	return a, ctx.Err()
}
