package llm

import (
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

const (
	// unknownMax is the limit of an answer where nothing is known and the protocol
	// wants a number.
	unknownMax = 16384
	// margin is what an estimate may be wrong by.
	margin = 4096
)

// room is how many tokens an answer can have beside the conversation: limit, or
// what the window leaves. The conversation is measured by its size. Usage that
// it records is not looked at: it may stem from before a compaction (pitfall
// 105) or be empty (pitfall 106).
func room(m Model, r Request, limit int64) int64 {
	if m.ContextWindow <= 0 {
		return limit
	}
	return min(limit, max(1, m.ContextWindow-size(r)-margin))
}

func size(r Request) int64 {
	estimate := compact.ByScript
	tokens := estimate.Tokens(&format.User{Content: format.TextContent(r.System)})
	for _, t := range r.Tools {
		text := t.Name + t.Description + string(t.Parameters)
		tokens += estimate.Tokens(&format.User{Content: format.TextContent(text)})
	}
	for _, m := range r.Messages {
		tokens += estimate.Tokens(m)
	}
	return tokens
}
