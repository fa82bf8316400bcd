// Package llm asks language models for answers, behind one small interface.
//
// A [Client] streams one answer of one model. Requests and answers are in the
// terms of package format, so that what a model said can be appended to a session
// as it is, and what a session holds can be sent as it is.
//
// The package keeps no conversation, runs no tools and writes no file. Keys are
// read where the user keeps them and go nowhere but into the request: they are
// in no error, no log and no session.
//
// The package stands above the core of pith (the root, format and store): its API
// may still change.
//
// Stability: outside the core. Its exported names may still change.
package llm

import (
	"context"
	"encoding/json"

	"github.com/pith-sessions/pith/format"
)

// A Client asks one model.
type Client interface {
	// Model is the model that answers.
	Model() Model
	// Stream asks for one answer and returns it when it is whole. Each piece is
	// told to observe as it comes, in order, in the goroutine of the caller;
	// observe may be nil.
	//
	// When the answer does not come, or not to its end, the error is an *[Error],
	// or that of ctx if it was cancelled. The message that is returned beside it
	// holds what had come by then, with the stop reason "error" or "aborted"; it
	// is never nil.
	Stream(ctx context.Context, r Request, observe func(Event)) (*format.Assistant, error)
}

// A Request is what a model is asked.
type Request struct {
	// System is the system prompt; "" for none.
	System string
	// Messages are the conversation, as pith.ForModel leaves it: of the roles
	// user, assistant and toolResult. Others are left out.
	Messages []format.Message
	// Tools are those that the model may call.
	Tools []Tool
	// Thinking is the level of thinking: off, minimal, low, medium, high, xhigh or
	// max. Models that cannot think ignore it; "" means off.
	Thinking string
	// MaxTokens limits the answer; 0 means as much as the model allows.
	MaxTokens int64
	// SessionID lets a provider keep the requests of one session together.
	SessionID string
}

// A Tool is what a model is told about a tool that it may call.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON schema of the arguments, an object.
	Parameters json.RawMessage
}

// A Model says what is known about a model.
type Model struct {
	Provider string
	ID       string
	Name     string // for people; "" means ID
	// API is the protocol that the model is asked by: one of the names that
	// sessions record, such as anthropic-messages and openai-completions.
	API     string
	BaseURL string
	// ContextWindow is how many tokens a conversation may have; 0 when unknown.
	ContextWindow int64
	// MaxTokens is how many tokens an answer may have; 0 when unknown.
	MaxTokens int64
	Reasoning bool // it can think
	// Levels are the levels of thinking that it has, from the least; nil means those
	// from off to high, or off alone if it cannot think.
	Levels []string
	Images bool // it can see
	Cost   Price
}

// A Price is in dollars for a million tokens.
type Price struct{ Input, Output, CacheRead, CacheWrite float64 }

// An EventKind says what an [Event] tells.
type EventKind uint8

// The kinds of events. A block is told by its start, its pieces and its end.
const (
	// Start is the first event: the model has begun to answer.
	Start EventKind = iota + 1
	// TextStart, TextDelta and TextEnd tell a block of text.
	TextStart
	TextDelta
	TextEnd
	// ThinkingStart, ThinkingDelta and ThinkingEnd tell a thought.
	ThinkingStart
	ThinkingDelta
	ThinkingEnd
	// ToolCallStart, ToolCallDelta and ToolCallEnd tell a call; the pieces are of
	// its arguments' JSON.
	ToolCallStart
	ToolCallDelta
	ToolCallEnd
	// Retry is told before a request is sent again; the answer begins anew.
	Retry
)

// An Event is one piece of an answer.
type Event struct {
	Kind  EventKind
	Index int    // of the block in the answer
	Delta string // of the kinds that end in Delta
	// Block is the whole block, of the kinds that end in End.
	Block format.Block
	// ToolName is set from ToolCallStart on.
	ToolName string
	// Attempt, Wait and Err are those of a Retry.
	Attempt int
	WaitMs  int64
	Err     error
}
