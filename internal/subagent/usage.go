package subagent

import (
	"cmp"

	"github.com/pith-sessions/pith/format"
)

// spentOf reads a usage in any of the forms that producers write: tokens under
// pi's names or as inputTokens, the cost as a number or as an object.
func spentOf(o object) format.Spent {
	cost := o.object("cost")
	u := format.Usage{
		Input: o.amount("input", "inputTokens"), Output: o.amount("output", "outputTokens"),
		CacheRead: o.amount("cacheRead"), CacheWrite: o.amount("cacheWrite"),
		TotalTokens: o.amount("totalTokens", "total", "tokens"),
		Cost: format.Cost{
			Input: cost.number("input"), Output: cost.number("output"),
			CacheRead: cost.number("cacheRead"), CacheWrite: cost.number("cacheWrite"),
			Total: cmp.Or(cost.number("total"), o.number("cost"), o.number("costUsd")),
		},
	}
	return u.Spent()
}

// resultSpent returns the spending in the result of a run.
func resultSpent(r object) format.Spent {
	s := spentOf(r.object("usage"))
	if s.IsZero() {
		s = spentOf(r.object("totalTokens"))
		cost := spentOf(r.object("totalCost"))
		if s.Tokens == 0 {
			s = cost
		}
		s.Cost = cost.Cost
	}
	s.Tokens = cmp.Or(s.Tokens, r.amount("tokens"), spentOf(r.object("tokens")).Tokens)
	for _, name := range []string{"progressSummary", "progress", "stats"} {
		o := r.object(name)
		s.Tokens = cmp.Or(s.Tokens, o.amount("tokens", "totalTokens"))
		s.Cost = cmp.Or(s.Cost, spentOf(o).Cost)
	}
	return s.AsCall()
}
