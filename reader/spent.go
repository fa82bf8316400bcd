package reader

import (
	"math"

	"github.com/pith-sessions/pith/format"
)

// Spent is what calls of models took.
type Spent struct {
	// Model is provider/id of the model; "" where the entry does not say, and for
	// sums.
	Model      Text  `json:"model,omitempty"`
	Input      int64 `json:"input"` // not cached
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Output     int64 `json:"output"`
	Tokens     int64 `json:"tokens"`     // all of them
	CostMicros int64 `json:"costMicros"` // millionths of the price list's currency

	// nanos is the cost in billionths: the price of one call is often below a
	// millionth, and sums must be exact.
	nanos int64
}

// spentOf is what one call of a model took; nil when that is nothing.
func spentOf(u *format.Usage, model string) *Spent {
	if u == nil {
		return nil
	}
	s := Spent{
		Input: max(0, u.Input), CacheRead: max(0, u.CacheRead), CacheWrite: max(0, u.CacheWrite), Output: max(0, u.Output),
		Model: Text(model), nanos: nanos(u.Cost),
	}
	s.Tokens = format.Plus(format.Plus(s.Input, s.Output), format.Plus(s.CacheRead, s.CacheWrite))
	if s.Tokens == 0 {
		s.Tokens = max(0, u.TotalTokens)
	}
	s.CostMicros = micros(s.nanos)
	if s.Tokens == 0 && s.nanos == 0 {
		return nil
	}
	return &s
}

// nanos is a cost in billionths. Where a file gives only the parts of a price
// they are added up.
func nanos(c format.Cost) int64 {
	total := c.Total
	if total == 0 {
		total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	}
	n := math.Round(total * 1e9)
	if math.IsNaN(n) || n < 0 || n >= 1<<63 {
		return 0
	}
	return int64(n)
}

func micros(nanos int64) int64 { return nanos/1000 + nanos%1000/500 }

// Add adds what others took. nil adds nothing. The model stays.
func (s *Spent) Add(o *Spent) {
	if o == nil {
		return
	}
	s.Input, s.Output = format.Plus(s.Input, o.Input), format.Plus(s.Output, o.Output)
	s.CacheRead, s.CacheWrite = format.Plus(s.CacheRead, o.CacheRead), format.Plus(s.CacheWrite, o.CacheWrite)
	s.Tokens, s.nanos = format.Plus(s.Tokens, o.Tokens), format.Plus(s.nanos, o.nanos)
	s.CostMicros = micros(s.nanos)
}
