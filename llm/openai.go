package llm

import (
	"context"

	"github.com/pith-sessions/pith/format"
)

// APIOpenAI is the name of the Chat Completions protocol in sessions.
const APIOpenAI = "openai-completions"

// An OpenAI is a client for OpenAI's Chat Completions protocol, which most
// other providers and local servers also support. It is safe for concurrent
// use.
type OpenAI struct{ client }

// NewOpenAI returns a client for a model. An empty API means this protocol, and
// an empty BaseURL means OpenAI's own address.
func NewOpenAI(m Model, o Options) *OpenAI {
	return &OpenAI{newClient(m, o, APIOpenAI, "https://api.openai.com/v1")}
}

// Stream implements [Client].
func (c *OpenAI) Stream(ctx context.Context, r Request, observe func(Event)) (*format.Assistant, error) {
	return c.stream(ctx, r, observe, func(ctx context.Context, s *sender, a *answer) error {
		if s.key != "" {
			s.gate.header.Set("Authorization", "Bearer "+s.key)
		}
		stream, err := s.gate.post(ctx, c.model.BaseURL, "chat/completions", c.body(r))
		if err != nil {
			return err
		}
		defer stream.Close()
		in := &openAIReader{answer: a, model: c.model, tiers: c.opts.Tiers, finishes: c.compat.FinishReason,
			byIndex: map[int64]*part{}, byID: map[string]*part{}}
		return in.read(newEvents(stream))
	})
}
