package format

import (
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
	// CacheWrite1h is the part of CacheWrite that is cached for an hour.
	CacheWrite1h int64 `json:"-"`
	Output       int64 `json:"output"`
	// Tokens is the sum of the four, or the total if a file has only that.
	Tokens int64 `json:"tokens"`
	// Cost is the sum of the known costs, recorded or estimated.
	Cost Money `json:"costMicros"`
	// Estimated means that some of Cost was computed from a list of prices,
	// because it was not recorded.
	Estimated bool `json:"estimated,omitempty"`
	// Unpriced counts the calls that used tokens and have no known cost: it is
	// unknown, not zero, and Cost is only part of the sum.
	Unpriced int64 `json:"unpriced,omitempty"`
}

// IsZero reports whether nothing was spent.
func (s Spent) IsZero() bool { return s == Spent{} }

// Plus returns the sum of s and t.
func (s Spent) Plus(t Spent) Spent {
	return Spent{
		Input: Plus(s.Input, t.Input), CacheRead: Plus(s.CacheRead, t.CacheRead), CacheWrite: Plus(s.CacheWrite, t.CacheWrite),
		Output: Plus(s.Output, t.Output), Tokens: Plus(s.Tokens, t.Tokens), Cost: Money(Plus(int64(s.Cost), int64(t.Cost))),
		Unpriced: Plus(s.Unpriced, t.Unpriced), CacheWrite1h: Plus(s.CacheWrite1h, t.CacheWrite1h), Estimated: s.Estimated || t.Estimated,
	}
}

// AsCall returns s as the usage of one call: Unpriced is 1 if it has tokens
// and no cost, and otherwise 0.
func (s Spent) AsCall() Spent {
	s.Unpriced = 0
	if s.Tokens > 0 && s.Cost == 0 {
		s.Unpriced = 1
	}
	return s
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
	s.CacheWrite1h = min(max(u.CacheWrite1h, 0), s.CacheWrite)
	s.Tokens = Plus(Plus(s.Input, s.Output), Plus(s.CacheRead, s.CacheWrite))
	s.Tokens = cmp.Or(s.Tokens, max(u.TotalTokens, 0))
	return s.AsCall()
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
		start := i + 2
		for i = start; i < len(raw) && raw[i] != '"'; i++ {
			if raw[i] == '\\' {
				return Spent{}, false
			}
		}
		if i+2 >= len(raw) || raw[i+1] != ':' {
			return Spent{}, false
		}
		name := raw[start:i]
		i += 2
		if string(name) == "cost" {
			if raw[i] != '{' || seen {
				return Spent{}, false
			}
			inCost, seen = true, true
			continue
		}
		n, size := decimalOf(raw[i:])
		if size == 0 || !inCost && !s.usualNumber(name, n) {
			return Spent{}, false
		}
		if inCost && string(name) == "total" {
			if price = n.float(); !n.exact {
				if price, ok = jsonl.Float(raw[i : i+size]); !ok {
					return Spent{}, false
				}
			}
		}
		i += size
	}
	nanos := math.Round(price * 1e9)
	s.Tokens = Plus(Plus(s.Input, s.Output), Plus(s.CacheRead, s.CacheWrite))
	if !(nanos > 0 && nanos < 1<<63) || s.Tokens == 0 {
		return Spent{}, false // use the slow path
	}
	s.Cost, s.CacheWrite1h = Money(nanos), min(s.CacheWrite1h, s.CacheWrite)
	return s, true
}

// usualNumber stores a number of a usage record, if it is one that counts.
func (s *Spent) usualNumber(name []byte, n decimal) (ok bool) {
	switch string(name) {
	case "input":
		s.Input = n.digits
	case "output":
		s.Output = n.digits
	case "cacheRead":
		s.CacheRead = n.digits
	case "cacheWrite":
		s.CacheWrite = n.digits
	case "cacheWrite1h":
		s.CacheWrite1h = n.digits
	default:
		return true
	}
	return n.exact && n.fraction == 0
}

// A decimal is a number literal without a sign and an exponent.
type decimal struct {
	digits   int64
	fraction int  // number of digits after the point
	exact    bool // the literal has this form, and at most mostDigits digits
}

// mostDigits is the number of digits that a float64 holds exactly.
const mostDigits = 15

// float returns the nearest float64 of an exact decimal. Both operands of the
// division are exact, so its result is rounded once.
func (d decimal) float() float64 { return float64(d.digits) / tenTo[d.fraction%len(tenTo)] }

var tenTo = [mostDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// decimalOf reads the number literal at the start of raw, which is valid JSON up
// to the comma or brace after that number. It returns the size of the literal, or
// 0 for another value.
func decimalOf(raw []byte) (d decimal, size int) {
	point := -1
	for i, c := range raw {
		switch digit := c - '0'; {
		case digit <= 9:
			d.digits = d.digits*10 + int64(digit)
		case c == ',' || c == '}':
			count := i
			if point >= 0 {
				count--
				d.fraction = i - point - 1
			}
			d.exact = point != -2 && count <= mostDigits
			return d, i
		case c == '.' && point == -1:
			point = i
		case c == 'e' || c == '-' || c == '+':
			point = -2 // neither the digits nor the point mean anything
		default:
			return d, 0
		}
	}
	return d, 0
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
