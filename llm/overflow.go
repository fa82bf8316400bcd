package llm

import (
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/lazyregexp"
)

// overflowTexts are the words in which providers say that a conversation is too
// long. Each line is one provider's, or one that several share.
var overflowTexts = lazyregexp.New(`(?i)` + strings.Join([]string{
	`prompt is too long`,
	`request_too_large`,
	`input is too long for requested model`,
	`exceeds the context window`,
	`exceeds (?:the )?(?:model'?s )?maximum context length (?:of [\d,]+ tokens?|\([\d,]+\))`,
	`input token count.*exceeds the maximum`,
	`maximum prompt length is \d+`,
	`reduce the length of the messages`,
	`maximum context length is \d+ tokens`,
	`exceeds (?:the )?maximum allowed input length of [\d,]+ tokens?`,
	`input \(\d+ tokens\) is longer than the model'?s context length \(\d+ tokens\)`,
	`exceeds the limit of \d+`,
	`exceeds the available context size`,
	`greater than the context length`,
	`context window exceeds limit`,
	`context window exceeded`,
	`exceeded model token limit`,
	`too large for model with \d+ maximum context length`,
	`prompt has [\d,]+ tokens?, but the configured context size is [\d,]+ tokens?`,
	`model_context_window_exceeded`,
	`prompt too long`,
	`prompt exceeds max length`,
	`range of input length should be`,
	`context[_ ]length[_ ]exceeded`,
	`too many tokens`,
	`token limit exceeded`,
	`^413(?:$|[\s:])`,
	`^[\w ]+ API error \(413\):`,
}, "|"))

var (
	// throttled are words of limits that pass by themselves. They win over the
	// words above (pitfall 116).
	throttled = lazyregexp.New(`(?i)^(?:Throttling error|Service unavailable):|rate limit|too many requests`)
	// bodyless is how Cerebras, and nobody else, refuses what is too long.
	bodyless = lazyregexp.New(`(?i)^4(?:00|13)\s*(?:status code)?\s*\(no body\)`)
)

// overflows reports whether an error text means that the conversation is too
// long for the model.
func overflows(text, provider string) bool {
	if throttled().MatchString(text) {
		return false
	}
	return overflowTexts().MatchString(text) || provider == "cerebras" && bodyless().MatchString(text)
}

// Overflowed reports whether a recorded answer shows that the conversation was
// too long for the model: by its error text, by counting more input than the
// window has, or by having no room left for even one token of output. window is
// the model's; 0, which is unknown, leaves the error text alone to decide.
func Overflowed(m *format.Assistant, window int64) bool {
	if m == nil {
		return false
	}
	input := m.Usage.Input + m.Usage.CacheRead
	switch m.StopReason {
	case stopError:
		return m.ErrorMessage != "" && overflows(m.ErrorMessage, m.Provider)
	case stopStop:
		return window > 0 && input > window
	case stopLength:
		return window > 0 && m.Usage.Output == 0 && float64(input) >= 0.99*float64(window)
	}
	return false
}

// LengthRecoverable reports whether an answer stopped for its length before it
// had as many tokens as the model may give, so that a shorter conversation may
// let it end. limit is the model's MaxTokens; 0 means unknown.
func LengthRecoverable(m *format.Assistant, limit int64) bool {
	return m != nil && m.StopReason == stopLength && limit > 0 && m.Usage.Output < limit
}
