package subagent

import (
	"math"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Usage is tokens and money. No number of it is negative.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int64
	// Tokens is the sum of the four, or a total where a file gives nothing else.
	Tokens     int64
	CostMicros int64 // millionths
}

// IsZero reports whether nothing was spent.
func (u Usage) IsZero() bool { return u == Usage{} }

// Plus is the sum of two usages. It does not run over.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Input: format.Plus(u.Input, v.Input), Output: format.Plus(u.Output, v.Output),
		CacheRead: format.Plus(u.CacheRead, v.CacheRead), CacheWrite: format.Plus(u.CacheWrite, v.CacheWrite),
		Tokens: format.Plus(u.Tokens, v.Tokens), CostMicros: format.Plus(u.CostMicros, v.CostMicros),
	}
}

// usageOf reads a usage in any of the forms that producers write: tokens under
// pi's names or as inputTokens, the cost as a number or as an object with a total.
func usageOf(o object) Usage {
	if o == nil {
		return Usage{}
	}
	u := Usage{
		Input: o.amount("input", "inputTokens"), Output: o.amount("output", "outputTokens"),
		CacheRead: o.amount("cacheRead"), CacheWrite: o.amount("cacheWrite"),
		CostMicros: costOf(o),
	}
	u.Tokens = format.Plus(format.Plus(u.Input, u.Output), format.Plus(u.CacheRead, u.CacheWrite))
	if u.Tokens == 0 {
		u.Tokens = o.amount("totalTokens", "total", "tokens")
	}
	return u
}

func costOf(o object) int64 {
	for _, name := range []string{"cost", "costUsd"} {
		raw := o[name]
		if jsonl.KindOf(raw) == '{' {
			raw = decode(raw)["total"]
		}
		if dollars, ok := jsonl.Float(raw); ok && dollars > 0 {
			return believable(math.Round(dollars * 1e6))
		}
	}
	return 0
}

// resultUsage is what the result of a run says it spent.
func resultUsage(r object) Usage {
	u := usageOf(r.object("usage"))
	if u.IsZero() {
		u = usageOf(r.object("totalTokens"))
		cost := usageOf(r.object("totalCost"))
		if u.Tokens == 0 {
			u = cost
		}
		u.CostMicros = cost.CostMicros
	}
	if u.Tokens == 0 {
		u.Tokens = r.amount("tokens")
	}
	if u.Tokens == 0 {
		u.Tokens = usageOf(r.object("tokens")).Tokens
	}
	for _, name := range []string{"progressSummary", "progress", "stats"} {
		o := r.object(name)
		if u.Tokens == 0 {
			u.Tokens = o.amount("tokens", "totalTokens")
		}
		if u.CostMicros == 0 {
			u.CostMicros = costOf(o)
		}
	}
	return u
}

// messageUsage is what the call of a model that gave an answer spent.
func messageUsage(m format.Message) Usage {
	switch m := m.(type) {
	case *format.Assistant:
		return rawUsage(&m.Usage)
	case *format.ToolResult:
		return rawUsage(m.Usage)
	}
	return Usage{}
}

// rawUsage is a decoded usage. Where it has its JSON that is read, because the
// cost may be a number there.
func rawUsage(u *format.Usage) Usage {
	switch {
	case u == nil:
		return Usage{}
	case len(u.Raw) > 0:
		return usageOf(decode(u.Raw))
	}
	out := Usage{
		Input: max(u.Input, 0), Output: max(u.Output, 0), CacheRead: max(u.CacheRead, 0), CacheWrite: max(u.CacheWrite, 0),
		CostMicros: max(u.Cost.TotalMicros(), 0),
	} // made in memory, by this process
	out.Tokens = format.Plus(format.Plus(out.Input, out.Output), format.Plus(out.CacheRead, out.CacheWrite))
	return out
}

// entryUsage is what an entry spent.
func entryUsage(e format.Entry) Usage {
	switch e := e.(type) {
	case *format.MessageEntry:
		return messageUsage(e.Message)
	case *format.Compaction:
		return rawUsage(e.Usage)
	case *format.BranchSummary:
		return rawUsage(e.Usage)
	case *format.UsageEntry:
		return rawUsage(&e.Usage)
	}
	return Usage{}
}
