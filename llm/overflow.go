package llm

import (
	"regexp"
	"strings"

	"github.com/pith-sessions/pith/format"
)

// overflowTexts matches the errors of providers for a conversation that is too
// long. Each line is one provider's, or shared by several.
var overflowTexts = regexp.MustCompile(`(?i)` + strings.Join([]string{
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
	// throttled matches temporary limits. It takes precedence over
	// overflowTexts (pitfall 116).
	throttled = regexp.MustCompile(`(?i)^(?:Throttling error|Service unavailable):|rate limit|too many requests`)
	// bodyless matches Cerebras's error for a conversation that is too long.
	// Only Cerebras uses it.
	bodyless = regexp.MustCompile(`(?i)^4(?:00|13)\s*(?:status code)?\s*\(no body\)`)
)

// overflows reports whether an error text means that the conversation is too
// long for the model.
func overflows(text, provider string) bool {
	if throttled.MatchString(text) {
		return false
	}
	return overflowTexts.MatchString(text) || provider == "cerebras" && bodyless.MatchString(text)
}

// Overflowed reports whether a recorded response shows that the conversation
// was too long for the model: by its error text, by more input tokens than the
// window, or by no room for a single output token. window is the model's; with
// 0, which means unknown, only the error text counts.
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

// LengthRecoverable reports whether a response stopped for its length before it
// reached the model's limit, so that a shorter conversation may let it finish.
// limit is the model's MaxTokens; 0 means unknown.
func LengthRecoverable(m *format.Assistant, limit int64) bool {
	return m != nil && m.StopReason == stopLength && limit > 0 && m.Usage.Output < limit
}
