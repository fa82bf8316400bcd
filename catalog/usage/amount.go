package usage

import (
	"math"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/reader/subagent"
)

// An Amount is tokens and money.
type Amount struct {
	Input, Output, CacheRead, CacheWrite int64
	// Tokens is the sum of the four, or a total where a file gives nothing else.
	Tokens int64
	// CostNanos is in billionths of the price list's currency: the price of one
	// call is often below a millionth, and sums must be exact.
	CostNanos int64
}

// CostMicros is the cost in millionths, rounded.
func (a Amount) CostMicros() int64 { return a.CostNanos/1000 + a.CostNanos%1000/500 }

// IsZero reports whether nothing was spent.
func (a Amount) IsZero() bool { return a == Amount{} }

// Plus is the sum of two amounts. It does not run over.
func (a Amount) Plus(b Amount) Amount {
	return Amount{
		Input: plus(a.Input, b.Input), Output: plus(a.Output, b.Output),
		CacheRead: plus(a.CacheRead, b.CacheRead), CacheWrite: plus(a.CacheWrite, b.CacheWrite),
		Tokens: plus(a.Tokens, b.Tokens), CostNanos: plus(a.CostNanos, b.CostNanos),
	}
}

func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// amountOf is what a raw usage says, which must be valid JSON or empty.
func amountOf(raw []byte) Amount {
	if jsonl.KindOf(raw) != '{' {
		return Amount{}
	}
	u := format.DecodeUsage(raw)
	a := Amount{
		Input: max(0, u.Input), Output: max(0, u.Output), CacheRead: max(0, u.CacheRead), CacheWrite: max(0, u.CacheWrite),
		CostNanos: costOf(u.Cost, raw),
	}
	a.Tokens = plus(plus(a.Input, a.Output), plus(a.CacheRead, a.CacheWrite))
	if a.Tokens == 0 {
		a.Tokens = max(0, u.TotalTokens)
	}
	return a
}

// costOf is the total, or the sum of the parts where a file gives only those, or
// the plain number that some programs write.
func costOf(c format.Cost, raw []byte) int64 {
	total := c.Total
	if total == 0 {
		total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	}
	if total == 0 {
		if cost, ok := jsonl.Lookup(raw, "cost"); ok {
			total, _ = jsonl.Float(cost)
		}
	}
	nanos := math.Round(total * 1e9)
	if math.IsNaN(nanos) || nanos < 0 || nanos >= 1<<63 {
		return 0
	}
	return int64(nanos)
}

func amountOfRun(u subagent.Usage) Amount {
	nanos := int64(math.MaxInt64)
	if u.CostMicros < math.MaxInt64/1000 {
		nanos = u.CostMicros * 1000
	}
	return Amount{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		Tokens: u.Tokens, CostNanos: nanos,
	}
}
