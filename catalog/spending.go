package catalog

import (
	"bytes"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// Spending is what the models of a session took, on all branches: the tokens
// and the cost that were recorded with answers, summaries, tools and accounting
// entries. What a fork copied from its parent counts in both.
type Spending struct {
	Input, Output, CacheRead, CacheWrite int64
	// CostMicros is in millionths of the currency of the price list.
	CostMicros int64
}

// Tokens are all tokens together.
func (s *Spending) Tokens() int64 {
	return format.Plus(format.Plus(s.Input, s.Output), format.Plus(s.CacheRead, s.CacheWrite))
}

func (s *Spending) add(usage []byte) {
	if jsonl.KindOf(usage) != '{' {
		return
	}
	u := format.DecodeUsage(usage)
	s.Input, s.Output = format.Plus(s.Input, u.Input), format.Plus(s.Output, u.Output)
	s.CacheRead, s.CacheWrite = format.Plus(s.CacheRead, u.CacheRead), format.Plus(s.CacheWrite, u.CacheWrite)
	s.CostMicros = format.Plus(s.CostMicros, u.Cost.TotalMicros())
}

var usageName = []byte(`"usage"`)

// addMember adds the member usage of an object, if it has one. Most objects that
// it is called for have none and are large, so they are searched for the name
// first.
func (s *Spending) addMember(obj []byte) {
	if !bytes.Contains(obj, usageName) {
		return
	}
	usage, _ := jsonl.Lookup(obj, "usage")
	s.add(usage)
}
