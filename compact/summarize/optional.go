package summarize

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// A compact.Summarizer may implement any of the following interfaces. Package
// agent uses those that it finds.

// A UsageReporter knows how many tokens it has used. The usage is recorded with the
// summary.
type UsageReporter interface {
	// Usage returns the tokens used so far, or nil if unknown.
	Usage() *format.Usage
}

// An Unlimited summarizer accepts conversations that are longer than a model's
// context window. Others get such a conversation in pieces.
type Unlimited interface {
	AnyLength() bool
}

// A Thinker can be told the thinking level of the conversation.
type Thinker interface {
	Think(level string)
}

// A Notifier announces its retries.
type Notifier interface {
	// Notify makes the summarizer call f for each event of its later requests.
	Notify(f func(llm.Event))
}
