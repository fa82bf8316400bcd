package llm

import (
	"context"
	"strings"

	"github.com/pith-sessions/pith/format"
)

// APIAnthropic is the name of the Messages protocol in sessions.
const APIAnthropic = "anthropic-messages"

// Names of beta features of Anthropic.
const (
	betaInterleaved = "interleaved-thinking-2025-05-14"
	betaLogin       = "oauth-2025-04-20"
)

// An Anthropic is a client for Anthropic's Messages protocol, which some other
// providers also support. It is safe for concurrent use.
type Anthropic struct{ client }

// NewAnthropic returns a client for a model. An empty API means this protocol,
// and an empty BaseURL means Anthropic's own address.
func NewAnthropic(m Model, o Options) *Anthropic {
	return &Anthropic{newClient(m, o, APIAnthropic, "https://api.anthropic.com")}
}

// Stream implements [Client].
func (c *Anthropic) Stream(ctx context.Context, r Request, observe func(Event)) (*format.Assistant, error) {
	return c.stream(ctx, r, observe, func(ctx context.Context, s *sender, a *answer) error {
		body, betas := c.body(r)
		c.authorize(s, betas)
		s.gate.header.Set("Anthropic-Version", "2023-06-01")
		stream, err := s.gate.post(ctx, c.model.BaseURL, "v1/messages", body)
		if err != nil {
			return err
		}
		defer stream.Close()
		in := &anthropicReader{answer: a, model: c.model, tiers: c.opts.Tiers, byIndex: map[int64]*part{}}
		return in.read(newEvents(stream))
	})
}

// authorize sets the header for the key. Login tokens are sent as bearer
// tokens; the rest of the request is the same.
func (c *Anthropic) authorize(s *sender, betas []string) {
	login := strings.Contains(s.key, "sk-ant-oat")
	if login {
		betas = append(betas, betaLogin)
	}
	switch {
	case s.key == "":
	case login || c.opts.Bearer:
		s.gate.header.Set("Authorization", "Bearer "+s.key)
	default:
		s.gate.header.Set("X-Api-Key", s.key)
	}
	if len(betas) > 0 {
		s.gate.header.Set("Anthropic-Beta", strings.Join(betas, ","))
	}
}
