// Package llm requests responses from language models, behind one small
// interface.
//
// A [Client] streams one response of one model. Requests and responses use the
// types of package format, so that a response can be appended to a session
// unchanged, and session messages can be sent unchanged.
//
// The package keeps no conversation, runs no tools and writes no file. Keys are
// read from where the user keeps them and are used only in the request: they
// appear in no error, log or session.
//
// Stability: outside the core. Its exported names may still change.
package llm

import (
	"context"
	"encoding/json"

	"github.com/pith-sessions/pith/format"
)

// A Client sends requests to one model.
type Client interface {
	// Model returns the model.
	Model() Model
	// Stream requests one response and returns it when it is complete. It calls
	// observe for each piece as it arrives, in order, in the goroutine of the
	// caller; observe may be nil.
	//
	// If the response fails or is incomplete, the error is an *[Error], or that
	// of ctx if it was cancelled. The returned message is never nil: it holds
	// everything received by then, with the stop reason "error" or "aborted".
	Stream(ctx context.Context, r Request, observe func(Event)) (*format.Assistant, error)
}

// A Request is a request to a model.
type Request struct {
	// System is the system prompt; "" for none.
	System string
	// Messages is the conversation as converted by pith.ForModel: the roles
	// user, assistant and toolResult. Other roles are ignored.
	Messages []format.Message
	// Tools are the tools that the model may call.
	Tools []Tool
	// Thinking is the thinking level: off, minimal, low, medium, high, xhigh or
	// max. Models that cannot think ignore it; "" means off.
	Thinking string
	// MaxTokens limits the response; 0 means the model's own limit.
	MaxTokens int64
	// SessionID lets a provider keep the requests of one session together.
	SessionID string
}

// A Tool describes a tool that a model may call.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON schema of the arguments, an object.
	Parameters json.RawMessage
}

// A Model describes a model.
type Model struct {
	Provider string
	ID       string
	Name     string // for people; "" means ID
	// API is the protocol of the model, with the name that sessions record,
	// such as anthropic-messages or openai-completions.
	API     string
	BaseURL string
	// ContextWindow is the maximum number of tokens of a conversation; 0 if
	// unknown.
	ContextWindow int64
	// MaxTokens is the maximum number of tokens of a response; 0 if unknown.
	MaxTokens int64
	Reasoning bool // whether it can think
	// Levels are its thinking levels, in ascending order; nil means those from
	// off to high, or only off if it cannot think.
	Levels []string
	Images bool // whether it accepts images
	Cost   Price
}

// A Price is in dollars per million tokens.
type Price struct{ Input, Output, CacheRead, CacheWrite float64 }

// An EventKind is the kind of an [Event].
type EventKind uint8

// The kinds of events. Each block has a start, pieces and an end.
const (
	// Start is the first event: the response has started.
	Start EventKind = iota + 1
	// TextStart, TextDelta and TextEnd are the events of a text block.
	TextStart
	TextDelta
	TextEnd
	// ThinkingStart, ThinkingDelta and ThinkingEnd are the events of a thinking
	// block.
	ThinkingStart
	ThinkingDelta
	ThinkingEnd
	// ToolCallStart, ToolCallDelta and ToolCallEnd are the events of a call;
	// the pieces are of its arguments' JSON.
	ToolCallStart
	ToolCallDelta
	ToolCallEnd
	// Retry comes before a request is sent again; the response starts over.
	Retry
)

// An Event is one piece of a response.
type Event struct {
	Kind  EventKind
	Index int    // index of the block in the response
	Delta string // for kinds that end in Delta
	// Block is the whole block, for kinds that end in End.
	Block format.Block
	// ToolName is set from ToolCallStart on.
	ToolName string
	// Attempt, WaitMs and Err are set for a Retry.
	Attempt int
	WaitMs  int64
	Err     error
}
