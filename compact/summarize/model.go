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
	// ErrCutOff means that the model stopped before the summary was whole.
	ErrCutOff = errors.New("the summary is incomplete: the model reached its limit of tokens")
	// ErrToolCall means that the model tried to call a tool instead of answering.
	ErrToolCall = errors.New("the model tried to call a tool instead of writing a summary")
)

// ModelOptions are the choices of [Model]. The zero value is what pi 1.5.0 does.
type ModelOptions struct {
	// Thinking is the level of thinking; "" means the one that
	// [ModelSummarizer.Think] was told, if any, and "off" none. A model that cannot
	// think is not asked to.
	Thinking string
	// ReserveTokens, if it is not 0, limits an answer as older versions of pi
	// do: to four fifths of it for a history, half for the beginning of a turn,
	// and 4096 for a branch. Thoughts count too, so a limit can leave no room
	// for the text; without one an answer may be as long as the model allows.
	ReserveTokens int64
	// Retry says how failed requests are repeated; the zero policy is pi's. Give
	// one with a Max below 0 for a client that repeats them itself.
	Retry llm.RetryPolicy
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// A ModelSummarizer asks a model for summaries. Make one for each compaction or
// branch, so that [ModelSummarizer.Usage] is what that one has cost.
type ModelSummarizer struct {
	client  llm.Client
	options ModelOptions

	mu       sync.Mutex // guards all below
	spent    *format.Usage
	thinking string          // of the conversation
	notify   func(llm.Event) // may be nil
}

// Model returns a summarizer that asks a model. It sends one message for each
// prompt, with the conversation as text and what to write about it, and no tools.
//
// An error of the client is wrapped, so that [llm.ClassOf] tells whether the
// conversation was too long for the model.
func Model(c llm.Client, o ModelOptions) *ModelSummarizer {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &ModelSummarizer{client: llm.WithRetry(c, o.Retry), options: o}
}

// Usage is what all requests together have used; nil before the first answer. It
// is to be recorded with the summary.
func (s *ModelSummarizer) Usage() *format.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spent == nil {
		return nil
	}
	u := *s.spent
	return &u
}

// Think tells the level of thinking of the conversation, which is that of its
// summaries too, unless [ModelOptions.Thinking] says otherwise.
func (s *ModelSummarizer) Think(level string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.thinking = level
}

// Notify has f told each piece of an answer and each retry from now on. It takes
// the place of what was given before.
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
		// A summary shares nothing with the conversation that a provider keeps.
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
		return "", errors.New("the client returned no answer")
	}
	return checked(ctx, m)
}

// limit is how many tokens an answer may have; 0 means as many as the model allows.
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

// checked is the text of an answer that is whole (pitfall 110).
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
		cause := m.ErrorMessage
		if cause == "" {
			cause = "unknown error"
		}
		return "", errors.New(cause)
	default:
		return "", fmt.Errorf("the model stopped before the summary was whole: %s", m.StopReason)
	}
	text := valid(answerText(m.Content))
	if strings.TrimSpace(text) == "" {
		return "", compact.ErrEmptySummary
	}
	return text, nil
}

// add counts what a request has used.
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
