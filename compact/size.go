package compact

import (
	"iter"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/transcript"
)

// A Size is how many tokens a context has: as a provider counted them with its
// last answer, and estimated from there on.
type Size struct {
	Tokens int64 // UsageTokens and TrailingTokens
	// UsageTokens are those that the provider counted; 0 when it counted none that
	// can be used, so that all of Tokens is an estimate.
	UsageTokens int64
	// TrailingTokens are the estimate of what came after the count, or of everything.
	TrailingTokens int64
	// UsageEntryID is the entry of the answer with the count; "" when there is none.
	UsageEntryID string
}

// Measure is the size of messages. It trusts the last count among them; for the
// context of a session use [Estimator.MeasureContext], which knows when a count is
// out of date.
func (e Estimator) Measure(messages iter.Seq2[pith.ContextMessage, error]) (Size, error) {
	var s Size
	for m, err := range messages {
		if err != nil {
			return Size{}, err
		}
		if n := usageOf(m.Raw); n > 0 {
			s = Size{UsageTokens: n, UsageEntryID: m.EntryID}
			continue
		}
		s.TrailingTokens += e.RawTokens(m.Raw)
	}
	s.Tokens = s.UsageTokens + s.TrailingTokens
	return s, nil
}

// MeasureContext is the size of a session's context at an entry. A count from
// before the last compaction or context edit is of another context, so that
// everything is estimated then.
func (e Estimator) MeasureContext(s *pith.Session, id string) (Size, error) {
	t, err := openTrail(s, id)
	if err != nil {
		return Size{}, err
	}
	return t.tail(e).size()
}

// size looks for a count from the end backwards, up to the first edit or the
// compaction, which make all counts before them worthless.
func (t *tail) size() (Size, error) {
	trailing := int64(0)
	for k := 0; ; k++ {
		it, err := t.at(k)
		if err != nil {
			return Size{}, err
		}
		if it == nil || it.edit != nil || it.compaction || it.pos < t.trail.compacted {
			return t.trail.estimate(t.estimator)
		}
		if it.usage > 0 {
			return Size{it.usage + trailing, it.usage, trailing, t.trail.path.ID(it.pos)}, nil
		}
		trailing += it.tokens
	}
}

// estimate is the size of the context without any count. System messages are
// sent as the one that they add up to, so that one is estimated.
func (t *trail) estimate(e Estimator) (Size, error) {
	var system transcript.SystemState
	tokens := int64(0)
	for m, err := range t.context.ReusedMessages() {
		if err != nil {
			return Size{}, err
		}
		if isSystemMessage(m) {
			system.Add(m.Raw)
			continue
		}
		tokens += e.RawTokens(m.Raw)
	}
	if m, ok := system.Message(); ok {
		tokens += e.RawTokens(m)
	}
	return Size{Tokens: tokens, TrailingTokens: tokens}, nil
}

// usageOf is the count that a message supplies, or 0.
func usageOf(raw []byte) int64 {
	m, _ := envelope.ReadMessage(raw)
	if m.Usage == nil || word(m.Role) != string(format.RoleAssistant) {
		return 0
	}
	return suppliedUsage(word(m.StopReason), m.Usage)
}

// suppliedUsage is the count of an answer, or 0 when it has none that can be
// trusted: the answer failed or was aborted, nothing was counted, or only part
// of it (pitfall 106).
func suppliedUsage(stopReason string, usage []byte) int64 {
	if stopReason == "error" || stopReason == "aborted" {
		return 0
	}
	n, ok := UsageTokens(usage)
	if !ok || n < 0 {
		return 0
	}
	return n
}

// UsageTokens is the size of the context that a usage object counts: its total,
// or where that is missing or 0 the sum of its parts. ok is false when a part is
// missing then, or when it is no usage object.
func UsageTokens(usage []byte) (tokens int64, ok bool) {
	if jsonl.KindOf(usage) != '{' || !jsonl.Valid(usage) {
		return 0, false
	}
	count := func(name string) (float64, bool) {
		raw, _ := jsonl.Lookup(usage, name)
		return jsonl.Float(raw)
	}
	if total, ok := count("totalTokens"); ok && total != 0 {
		return whole(total), true
	}
	for _, part := range []string{"input", "output", "cacheRead", "cacheWrite"} {
		n, ok := count(part)
		if !ok {
			return 0, false
		}
		tokens += whole(n)
	}
	return tokens, true
}

// whole is a count as an integer. One that is larger than JavaScript counts
// exactly is cut, so that sums of counts do not overflow.
func whole(n float64) int64 {
	const most = 1<<53 - 1
	return int64(max(-most, min(n, most)))
}
