package compact

import (
	"encoding/json"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// An Estimator estimates the tokens of a message that no provider has counted.
// The zero Estimator is [Quarter].
type Estimator uint8

const (
	// Quarter is pi's estimate: four UTF-16 units per token. It is about right
	// for English and code, and finds a quarter of the tokens of Chinese text.
	Quarter Estimator = iota
	// ByScript counts Latin text like Quarter and other scripts by the tokens
	// that their characters take. Plans made with it can differ from pi's.
	ByScript
)

// imageWeight is the weight of an image in quarters of a token: 1200 tokens.
const imageWeight = 4800

// Tokens estimates the tokens of a message. It also counts text that models do
// not see, such as that of excluded commands. Messages of unknown roles have
// none.
func (e Estimator) Tokens(m format.Message) int64 { return e.RawTokens(m.Raw()) }

// RawTokens is Tokens for a message as JSON, as pi encodes it. A value that is
// not a JSON object has none.
func (e Estimator) RawTokens(raw json.RawMessage) int64 {
	m, ok := journal.ReadMessage(raw)
	if !ok {
		return 0
	}
	weight := int64(0)
	switch format.Role(text(m.Role)) {
	case format.RoleAssistant:
		weight = e.content(m.Content, Estimator.answered)
	case format.RoleUser, format.RoleToolResult, format.RoleCustom, format.RoleHookMessage:
		weight = e.content(m.Content, Estimator.input)
	case format.RoleBashExecution:
		weight = e.literal(m.Command) + e.literal(m.Output)
	case format.RoleBranchSummary, format.RoleCompactionSummary:
		weight = e.literal(m.Summary)
	case format.RoleSystem:
		added, _ := jsonl.Lookup(raw, "toolsAdded")
		weight = e.content(m.Content, Estimator.input) + e.canonical(added)
		sections, _ := jsonl.Lookup(raw, "sections")
		for _, section := range jsonl.Members(sections) {
			weight += e.literal(section)
		}
	}
	return (weight + 3) / 4
}

// content returns the weight of a string or of the blocks of a list.
func (e Estimator) content(raw []byte, weigh func(Estimator, journal.Block) int64) int64 {
	if jsonl.KindOf(raw) == '"' {
		return e.literal(raw)
	}
	weight := int64(0)
	for _, b := range journal.Blocks(raw) {
		weight += weigh(e, b)
	}
	return weight
}

// input returns the weight of a block of input to a model: text and images.
func (e Estimator) input(b journal.Block) int64 {
	switch text(b.Type) {
	case "text":
		return e.literal(b.Text)
	case "image":
		return imageWeight
	}
	return 0
}

// answered returns the weight of a block of a response. An image, which only a
// context edit can put there, has no weight, because no provider accepts one in
// a response.
func (e Estimator) answered(b journal.Block) int64 {
	switch text(b.Type) {
	case "text":
		return e.literal(b.Text)
	case "thinking":
		return e.literal(b.Thinking)
	case "toolCall":
		return e.literal(b.Name) + e.canonical(b.Arguments)
	}
	return 0
}

// canonical returns the weight of a JSON value as JavaScript writes it. A
// missing value has no weight; pi fails on a call without arguments.
func (e Estimator) canonical(raw []byte) int64 {
	if len(raw) == 0 {
		return 0
	}
	var room [1024]byte
	return e.text(appendCanonical(room[:0], raw, 0))
}
