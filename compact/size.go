package compact

import (
	"iter"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/transcript"
)

// A Size is the number of tokens of a context: as counted by a provider with
// its last response, and estimated from there on.
type Size struct {
	Tokens int64 // UsageTokens and TrailingTokens
	// UsageTokens is the count of the provider; 0 if no usable count exists, so
	// that all of Tokens is an estimate.
	UsageTokens int64
	// TrailingTokens is the estimate for everything after the count, or for
	// everything.
	TrailingTokens int64
	// UsageEntryID is the entry of the response with the count, or "".
	UsageEntryID string
}

// Measure returns the size of messages. It uses the last count in them. For the
// context of a session use [Estimator.MeasureContext], which ignores outdated
// counts.
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

// MeasureContext returns the size of a session's context at an entry. A count
// from before the last compaction or context edit applies to another context,
// so everything is estimated in that case.
func (e Estimator) MeasureContext(s *pith.Session, id string) (Size, error) {
	t, err := openTrail(s, id)
	if err != nil {
		return Size{}, err
	}
	return t.tail(e).size()
}

// size searches for a count from the end backwards, up to the first edit or the
// compaction, which invalidate all earlier counts.
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

// estimate returns the size of the context without any count. System messages
// are sent as one combined message, so that one is estimated.
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

func usageOf(raw []byte) int64 {
	m, _ := journal.ReadMessage(raw)
	if m.Usage == nil || text(m.Role) != string(format.RoleAssistant) {
		return 0
	}
	return suppliedUsage(text(m.StopReason), m.Usage)
}

// suppliedUsage returns the count of a response, or 0 if it has none that is
// reliable: the response failed or was aborted, or nothing or only part of it
// was counted (pitfall 106).
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

// UsageTokens returns the context size that a usage object counts: its total
// or, if that is missing or 0, the sum of its parts. ok is false if a part is
// missing then, or if usage is not an object.
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

// whole converts a count to an integer. It clamps counts that JavaScript cannot
// represent exactly, so that sums do not overflow.
func whole(n float64) int64 {
	const most = 1<<53 - 1
	return int64(max(-most, min(n, most)))
}
