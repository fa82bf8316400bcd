package format

import (
	"bytes"
	"cmp"
	"math"
	"strconv"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Spent is the cost of model calls, in tokens and money. No value is negative,
// and no sum overflows, whatever a file contains.
type Spent struct {
	Input      int64 `json:"input"` // not cached
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Output     int64 `json:"output"`
	// Tokens is the sum of the four, or the total if a file has only that.
	Tokens int64 `json:"tokens"`
	Cost   Money `json:"costMicros"`
}

// IsZero reports whether nothing was spent.
func (s Spent) IsZero() bool { return s == Spent{} }

// Plus returns the sum of s and t.
func (s Spent) Plus(t Spent) Spent {
	return Spent{
		Input: Plus(s.Input, t.Input), CacheRead: Plus(s.CacheRead, t.CacheRead), CacheWrite: Plus(s.CacheWrite, t.CacheWrite),
		Output: Plus(s.Output, t.Output), Tokens: Plus(s.Tokens, t.Tokens), Cost: Money(Plus(int64(s.Cost), int64(t.Cost))),
	}
}

// Money is an amount in billionths of the price list's currency: the price of
// one call is often below a millionth, and sums must be exact. In JSON it is
// written in millionths, so it cannot be read back exactly.
type Money int64

// Micros returns the amount in millionths, rounded. Amounts are rounded after
// they are summed, never before.
func (m Money) Micros() int64 { return int64(m/1000 + m%1000/500) }

// MarshalJSON encodes the amount in millionths.
func (m Money) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, m.Micros(), 10), nil }

// Spent returns the tokens and cost of a usage record. Tokens come from the
// parts, or from the total if the parts are missing. The cost comes from its
// total, its parts, or the plain number that some programs write instead. A nil
// usage is zero.
func (u *Usage) Spent() Spent {
	if u == nil {
		return Spent{}
	}
	s := Spent{
		Input: max(u.Input, 0), CacheRead: max(u.CacheRead, 0), CacheWrite: max(u.CacheWrite, 0), Output: max(u.Output, 0),
		Cost: u.price(),
	}
	s.Tokens = Plus(Plus(s.Input, s.Output), Plus(s.CacheRead, s.CacheWrite))
	s.Tokens = cmp.Or(s.Tokens, max(u.TotalTokens, 0))
	return s
}

func (u *Usage) price() Money {
	c := &u.Cost
	price := cmp.Or(c.Total, c.Input+c.Output+c.CacheRead+c.CacheWrite)
	if price == 0 && u.Raw != nil {
		cost, _ := jsonl.Lookup(u.Raw, "cost")
		price = asFloat(cost)
	}
	nanos := math.Round(price * 1e9)
	if math.IsNaN(nanos) || nanos < 0 || nanos >= 1<<63 {
		return 0
	}
	return Money(nanos)
}

// DecodeSpent returns the tokens and cost of a usage record in JSON. raw must
// be valid JSON or empty; a value that is not an object is zero.
func DecodeSpent(raw []byte) Spent {
	if s, ok := usualSpent(raw); ok {
		return s
	}
	u := DecodeUsage(raw)
	return u.Spent()
}

// usualSpent is DecodeSpent for the form that nearly every program writes:
// plain numbers, and a cost with a total. It is a fast path, because lists sum
// one usage record per response and ignore most of its numbers.
func usualSpent(raw []byte) (s Spent, ok bool) {
	var price float64
	inCost, seen := false, false // seen: the cost has occurred
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '}' && (inCost || i == len(raw)-1):
			inCost = false
			i++
			continue
		case c != '{' && c != ',' || i+1 == len(raw) || raw[i+1] != '"':
			return Spent{}, false
		}
		length := bytes.IndexByte(raw[i+2:], '"')
		if length < 0 {
			return Spent{}, false
		}
		name := raw[i+2 : i+2+length]
		i += 2 + length + 1
		if i+1 >= len(raw) || raw[i] != ':' {
			return Spent{}, false
		}
		i++
		if string(name) == "cost" {
			if raw[i] != '{' || seen {
				return Spent{}, false
			}
			inCost, seen = true, true
			continue
		}
		start := i
		for i < len(raw) && raw[i] != ',' && raw[i] != '}' {
			if c := raw[i]; c > '9' && c != 'e' || c < '+' {
				return Spent{}, false
			}
			i++
		}
		if !s.usualNumber(name, raw[start:i], inCost, &price) {
			return Spent{}, false
		}
	}
	nanos := math.Round(price * 1e9)
	s.Tokens = Plus(Plus(s.Input, s.Output), Plus(s.CacheRead, s.CacheWrite))
	if !(nanos > 0 && nanos < 1<<63) || s.Tokens == 0 {
		return Spent{}, false // use the slow path
	}
	s.Cost = Money(nanos)
	return s, true
}

// usualNumber stores a number of a usage record, if it is one that counts.
func (s *Spent) usualNumber(name, number []byte, inCost bool, price *float64) (ok bool) {
	if inCost {
		if string(name) == "total" {
			*price, ok = jsonl.Float(number)
			return ok
		}
		return bytes.IndexByte(name, '\\') < 0
	}
	var to *int64
	switch string(name) {
	case "input":
		to = &s.Input
	case "output":
		to = &s.Output
	case "cacheRead":
		to = &s.CacheRead
	case "cacheWrite":
		to = &s.CacheWrite
	default:
		return bytes.IndexByte(name, '\\') < 0
	}
	*to = 0
	for _, c := range number {
		if c < '0' || c > '9' || len(number) > 15 {
			return false
		}
		*to = *to*10 + int64(c-'0')
	}
	return true
}

// UsageOf returns the usage that an entry records, and the name of the model if
// the entry has it. It returns nil for an entry without usage.
func UsageOf(e Entry) (u *Usage, model string) {
	switch e := e.(type) {
	case *MessageEntry:
		switch m := e.Message.(type) {
		case *Assistant:
			return &m.Usage, ModelName(m.Provider, m.Model)
		case *ToolResult:
			return m.Usage, ""
		}
	case *Compaction:
		return e.Usage, ""
	case *BranchSummary:
		return e.Usage, ""
	case *UsageEntry:
		return &e.Usage, ModelName(e.Provider, e.Model)
	case *UnknownEntry:
		if e.Type == TypeModelUsage {
			raw, _ := jsonl.Lookup(e.Raw, "usage")
			return usagePointerKind.read(raw), ModelName(jsonl.LookupString(e.Raw, "provider"), jsonl.LookupString(e.Raw, "model"))
		}
	}
	return nil, ""
}

// ModelName returns provider/id, or whichever of the two is known.
func ModelName(provider, model string) string {
	if provider == "" || model == "" {
		return provider + model
	}
	return provider + "/" + model
}
