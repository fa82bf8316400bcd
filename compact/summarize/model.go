package summarize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/sessiondir"
)

var (
	// ErrCutOff means that the model stopped before the summary was complete.
	ErrCutOff = errors.New("the summary is incomplete: the model reached its token limit")
	// ErrToolCall means that the model called a tool instead of responding with
	// text.
	ErrToolCall = errors.New("the model tried to call a tool instead of writing a summary")
)

// ModelOptions configure [Model]. The zero value behaves like pi 1.5.0.
type ModelOptions struct {
	// Thinking is the thinking level; "" means the one passed to
	// [ModelSummarizer.Think], if any, and "off" none. It is ignored for models
	// that cannot think.
	Thinking string
	// ReserveTokens, if not 0, limits a response as older versions of pi do: to
	// four fifths of it for a history, half for the start of a turn, and 4096
	// for a branch. Thinking counts too, so a limit can leave no room for the
	// text. Without a limit, the model's own applies.
	ReserveTokens int64
	// Retry determines how failed requests are retried; the zero policy is
	// pi's. Use a negative Max for a client that retries by itself.
	Retry llm.RetryPolicy
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// A ModelSummarizer asks a model for summaries. Make one for each compaction or
// branch, so that [ModelSummarizer.Usage] returns the usage of that one.
type ModelSummarizer struct {
	client  llm.Client
	options ModelOptions

	mu       sync.Mutex // guards all below
	spent    *format.Usage
	thinking string          // thinking level of the conversation
	notify   func(llm.Event) // may be nil
}

// Model returns a summarizer that asks a model. For each prompt it sends one
// message with the conversation as text and the instructions, and no tools.
//
// Client errors are wrapped, so that [llm.ClassOf] reports whether the
// conversation was too long for the model.
func Model(c llm.Client, o ModelOptions) *ModelSummarizer {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &ModelSummarizer{client: llm.WithRetry(c, o.Retry), options: o}
}

// Usage returns the total usage of all requests, or nil before the first
// response. It should be recorded with the summary.
func (s *ModelSummarizer) Usage() *format.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spent == nil {
		return nil
	}
	u := *s.spent
	return &u
}

// Think sets the thinking level of the conversation. Summaries use it unless
// [ModelOptions.Thinking] is set.
func (s *ModelSummarizer) Think(level string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.thinking = level
}

// Notify makes the summarizer call f for each piece of a response and each
// retry from now on. It replaces the previous function.
func (s *ModelSummarizer) Notify(f func(llm.Event)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notify = f
}

// Summarize implements [compact.Summarizer].
func (s *ModelSummarizer) Summarize(ctx context.Context, p compact.Prompt) (string, error) {
	now := s.options.Now()
	s.mu.Lock()
	thinking, notify := cmp.Or(s.options.Thinking, s.thinking), s.notify
	s.mu.Unlock()
	request := llm.Request{
		System:    systemPrompt,
		Messages:  []format.Message{format.NewUser(promptText(p), now)},
		MaxTokens: s.limit(p.Part),
		// A summary shares nothing with the conversation in the provider's
		// cache.
		SessionID: sessiondir.NewSessionID(now),
	}
	if s.client.Model().Reasoning && thinking != "off" {
		request.Thinking = thinking
	}
	m, err := s.client.Stream(ctx, request, notify)
	s.add(m)
	if err != nil {
		return "", err
	}
	if m == nil {
		return "", errors.New("the client returned no response")
	}
	return checked(ctx, m)
}

// limit returns the maximum number of tokens of a response; 0 means the model's
// own limit.
func (s *ModelSummarizer) limit(part compact.Part) int64 {
	reserve := s.options.ReserveTokens
	if reserve <= 0 {
		return 0
	}
	limit := int64(4096)
	switch part {
	case compact.History:
		limit = reserve * 4 / 5
	case compact.TurnPrefix:
		limit = reserve / 2
	}
	if most := s.client.Model().MaxTokens; most > 0 {
		limit = min(limit, most)
	}
	return max(limit, 1)
}

// checked returns the text of a complete response (pitfall 110).
func checked(ctx context.Context, m *format.Assistant) (string, error) {
	for _, b := range m.Content.Blocks {
		if call, ok := b.(*format.ToolCallBlock); ok {
			return "", fmt.Errorf("%w: %q", ErrToolCall, call.Name)
		}
	}
	switch m.StopReason {
	case "stop", "":
	case "length":
		return "", ErrCutOff
	case "aborted":
		if err := ctx.Err(); err != nil {
			return "", err
		}
		return "", context.Canceled
	case "error":
		cause := cmp.Or(m.ErrorMessage, "unknown error")
		return "", errors.New(cause)
	default:
		return "", fmt.Errorf("the model stopped before the summary was complete: %s", m.StopReason)
	}
	text := valid(answerText(m.Content))
	if strings.TrimSpace(text) == "" {
		return "", compact.ErrEmptySummary
	}
	return text, nil
}

func (s *ModelSummarizer) add(m *format.Assistant) {
	if m == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	u := m.Usage
	u.Raw = nil
	if s.spent != nil {
		u = sum(*s.spent, u)
	}
	s.spent = &u
}

// sum adds two usages, field for field.
func sum(a, b format.Usage) format.Usage {
	return format.Usage{
		Input: a.Input + b.Input, Output: a.Output + b.Output, CacheRead: a.CacheRead + b.CacheRead, CacheWrite: a.CacheWrite + b.CacheWrite,
		TotalTokens: a.TotalTokens + b.TotalTokens, CacheWrite1h: a.CacheWrite1h + b.CacheWrite1h, Reasoning: a.Reasoning + b.Reasoning,
		Cost: format.Cost{
			Input: a.Cost.Input + b.Cost.Input, Output: a.Cost.Output + b.Cost.Output,
			CacheRead: a.Cost.CacheRead + b.Cost.CacheRead, CacheWrite: a.Cost.CacheWrite + b.Cost.CacheWrite,
			Total: a.Cost.Total + b.Cost.Total, TotalFromProvider: a.Cost.TotalFromProvider && b.Cost.TotalFromProvider,
		},
	}
}
