package llm_test

import (
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

func TestOverflowTexts(t *testing.T) {
	tests := []struct {
		text, provider string
		want           bool
	}{
		{"prompt is too long: 213462 tokens > 200000 maximum", "", true},
		{`413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, "", true},
		{"Input is too long for requested model.", "", true},
		{"Your input exceeds the context window of this model", "", true},
		{"Requested token count exceeds the model's maximum context length of 131072 tokens", "", true},
		{"Input length (265330) exceeds model's maximum context length (262144).", "", true},
		{"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)", "", true},
		{"This model's maximum prompt length is 131072 but the request contains 537812 tokens", "", true},
		{"Please reduce the length of the messages or completion", "", true},
		{"This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens", "", true},
		{"Input length 300000 exceeds the maximum allowed input length of 262,144 tokens.", "", true},
		{"The input (9000 tokens) is longer than the model's context length (8192 tokens).", "", true},
		{"prompt token count of 9000 exceeds the limit of 8000", "", true},
		{"the request exceeds the available context size, try increasing it", "", true},
		{"tokens to keep from the initial prompt is greater than the context length", "", true},
		{"invalid params, context window exceeds limit", "", true},
		{"Context window exceeded", "", true},
		{"Your request exceeded model token limit: 8000 (requested: 9000)", "", true},
		{"Prompt contains 9000 tokens and is too large for model with 8192 maximum context length", "", true},
		{"Prompt has 9,000 tokens, but the configured context size is 8,192 tokens", "", true},
		{"Provider finish_reason: model_context_window_exceeded", "", true},
		{`{"code":"1261","message":"Prompt too long"}`, "", true},
		{"prompt too long; exceeded max context length by 8 tokens", "", true},
		{"Prompt exceeds max length", "", true},
		{"Range of input length should be [1, 8192]", "", true},
		{"context_length_exceeded", "", true},
		{"Context length exceeded", "", true},
		{"too many tokens", "", true},
		{"token limit exceeded", "", true},
		{"413", "", true},
		{"413: too big", "", true},
		{"Mistral API error (413): too big", "", true},
		{"4130 things", "", false},
		{"400 status code (no body)", "cerebras", true},
		{"413 (no body)", "cerebras", true},
		{"400 status code (no body)", "openai", false},
		// pitfall 116: throttling is not overflow
		{"Throttling error: Too many tokens, please wait before trying again.", "", false},
		{"Service unavailable: too many tokens", "", false},
		{"429: rate limit reached: too many tokens per minute", "", false},
		{"Too many requests: token limit exceeded", "", false},
		{"overloaded_error", "", false},
		{"", "", false},
	}
	for _, tt := range tests {
		m := &format.Assistant{StopReason: "error", ErrorMessage: tt.text, Provider: tt.provider}
		if got := llm.Overflowed(m, 0); got != tt.want {
			t.Errorf("Overflowed(error %q of %q) = %v; want %v", tt.text, tt.provider, got, tt.want)
		}
		m.StopReason = "aborted"
		if llm.Overflowed(m, 1) {
			t.Errorf("Overflowed(aborted %q) = true; want false", tt.text)
		}
	}
}

func TestOverflowedByUsage(t *testing.T) {
	tests := []struct {
		stop                string
		input, read, output int64
		window              int64
		want                bool
	}{
		{"stop", 90, 11, 5, 100, true},
		{"stop", 90, 10, 5, 100, false},
		{"stop", 1000, 0, 5, 0, false},
		{"toolUse", 1000, 0, 5, 100, false},
		{"length", 90, 9, 0, 100, true},
		{"length", 90, 8, 0, 100, false},
		{"length", 90, 10, 1, 100, false},
		{"length", 90, 10, 0, 0, false},
		{"error", 1000, 0, 0, 100, false},
	}
	for _, tt := range tests {
		m := &format.Assistant{StopReason: tt.stop, Usage: format.Usage{Input: tt.input, CacheRead: tt.read, Output: tt.output}}
		if got := llm.Overflowed(m, tt.window); got != tt.want {
			t.Errorf("Overflowed(%s with %d+%d in, %d out, window %d) = %v; want %v", tt.stop, tt.input, tt.read, tt.output, tt.window, got, tt.want)
		}
	}
	if llm.Overflowed(nil, 1) {
		t.Error("Overflowed(nil) = true; want false")
	}
}

func TestLengthRecoverable(t *testing.T) {
	tests := []struct {
		stop          string
		output, limit int64
		want          bool
	}{{"length", 5, 10, true}, {"length", 10, 10, false}, {"length", 5, 0, false}, {"stop", 5, 10, false}}
	for _, tt := range tests {
		m := &format.Assistant{StopReason: tt.stop, Usage: format.Usage{Output: tt.output}}
		if got := llm.LengthRecoverable(m, tt.limit); got != tt.want {
			t.Errorf("LengthRecoverable(%s with %d tokens, %d) = %v; want %v", tt.stop, tt.output, tt.limit, got, tt.want)
		}
	}
}

func TestTransient(t *testing.T) {
	for text, want := range map[string]bool{
		`{"type":"overloaded_error","message":"Overloaded"}`: true,
		"429: slow down": true, "502 Bad Gateway": true, "fetch failed": true, "Request timed out.": true,
		"Anthropic stream ended before message_stop": true, "Provider finish_reason: network_error": true,
		"insufficient_quota: 429": false, "400: no such field 15000": false, "prompt is too long": false, "invalid x-api-key": false, "": false,
	} {
		if got := llm.Transient(text); got != want {
			t.Errorf("Transient(%q) = %v; want %v", text, got, want)
		}
	}
}
