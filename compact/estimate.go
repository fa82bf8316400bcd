package compact

import (
	"encoding/json"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// An Estimator guesses how many tokens a message takes where no provider has
// counted them. The zero Estimator is [Quarter].
type Estimator uint8

const (
	// Quarter is pi's guess: four UTF-16 units are a token, whatever they are. It
	// is about right for English and code, and finds a quarter of the tokens of a
	// Chinese text.
	Quarter Estimator = iota
	// ByScript counts Latin text like Quarter and other scripts by the tokens that
	// their characters take. Plans made with it can differ from pi's.
	ByScript
)

// imageWeight is what a picture counts, in quarters of a token: 1200 tokens.
const imageWeight = 4800

// Tokens estimates a message. Text that no model gets, as that of excluded
// commands, counts too; roles that pith does not know count nothing.
func (e Estimator) Tokens(m format.Message) int64 { return e.RawTokens(m.Raw()) }

// RawTokens is Tokens for a message as JSON in pi's form. What is not a JSON
// object has none.
func (e Estimator) RawTokens(raw json.RawMessage) int64 {
	m, ok := envelope.ReadMessage(raw)
	if !ok {
		return 0
	}
	weight := int64(0)
	switch format.Role(word(m.Role)) {
	case format.RoleAssistant:
		weight = e.content(m.Content, Estimator.answered)
	case format.RoleUser, format.RoleToolResult, format.RoleCustom, format.RoleHookMessage:
		weight = e.content(m.Content, Estimator.told)
	case format.RoleBashExecution:
		weight = e.literal(m.Command) + e.literal(m.Output)
	case format.RoleBranchSummary, format.RoleCompactionSummary:
		weight = e.literal(m.Summary)
	case format.RoleSystem:
		added, _ := jsonl.Lookup(raw, "toolsAdded")
		weight = e.content(m.Content, Estimator.told) + e.canonical(added)
		sections, _ := jsonl.Lookup(raw, "sections")
		for _, section := range jsonl.Members(sections) {
			weight += e.literal(section)
		}
	}
	return (weight + 3) / 4
}

// content weighs a string, or the blocks of a list.
func (e Estimator) content(raw []byte, weigh func(Estimator, block) int64) int64 {
	if jsonl.KindOf(raw) == '"' {
		return e.literal(raw)
	}
	weight := int64(0)
	for b := range blocks(raw) {
		weight += weigh(e, b)
	}
	return weight
}

// told weighs a block of what a model is told: text and pictures.
func (e Estimator) told(b block) int64 {
	switch b.kind {
	case "text":
		return e.literal(b.text)
	case "image":
		return imageWeight
	}
	return 0
}

// answered weighs a block of an answer. A picture, which only a context edit can
// put there, weighs nothing, because no provider takes one in an answer.
func (e Estimator) answered(b block) int64 {
	switch b.kind {
	case "text":
		return e.literal(b.text)
	case "thinking":
		return e.literal(b.thinking)
	case "toolCall":
		return e.literal(b.name) + e.canonical(b.arguments)
	}
	return 0
}

// canonical weighs a JSON value in the form in which JavaScript writes it. A
// value that is missing weighs nothing; pi fails on a call without arguments.
func (e Estimator) canonical(raw []byte) int64 {
	if len(raw) == 0 {
		return 0
	}
	var room [1024]byte
	return e.text(appendCanonical(room[:0], raw, 0))
}
