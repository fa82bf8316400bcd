package llm

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// A client is the common part of the clients of both protocols.
type client struct {
	model  Model
	opts   Options
	compat compat
	levels levels
}

// newClient sets the protocol and the address if the model has none.
func newClient(m Model, o Options, api, address string) client {
	m.API, m.BaseURL = cmp.Or(m.API, api), cmp.Or(m.BaseURL, address)
	if o.Now == nil {
		o.Now = time.Now
	}
	m = (&model{Model: m, levels: o.Levels}).described()
	return client{m, o, compatOf(m, o.Compat), decodeLevels(o.Levels)}
}

// Model implements [Client].
func (c *client) Model() Model { return c.model }

// stream receives one response. ask sends the request and reads the response;
// its context is cancelled if the provider is silent for too long.
func (c *client) stream(ctx context.Context, r Request, observe func(Event), ask func(context.Context, *sender, *answer) error) (*format.Assistant, error) {
	a := newAnswer(c.model, c.opts, observe)
	s, err := c.opts.sender()
	if err != nil {
		return a.fail(ctx, ctx, err, scrubber{})
	}
	idle := orDefault(c.opts.IdleTimeout, 10*time.Minute)
	watched, alive, stop := watch(ctx, orDefault(c.opts.ResponseTimeout, idle), idle)
	defer stop()
	s.gate.alive = alive
	for name, value := range c.compat.affinity(r.SessionID) {
		s.gate.header.Set(name, value)
	}
	if err := ask(watched, s, a); err != nil {
		return a.fail(ctx, watched, err, s.hide)
	}
	return a.finish(), nil
}

const userAgent = "pith"

// A sender holds the means to send one request: its gate, its key, and the
// secrets to remove from errors.
type sender struct {
	gate *gate
	key  string
	hide scrubber
}

// sender resolves the secrets. The error of a missing secret is [Final]: a
// retry would not help.
func (o Options) sender() (*sender, error) {
	key, err := o.Key.reveal()
	if err != nil {
		return nil, &keyError{err}
	}
	custom := http.Header{}
	secrets := []string{key}
	for name, secret := range o.Headers {
		value, err := secret.reveal()
		if err != nil {
			return nil, &keyError{err}
		}
		custom.Set(name, value)
		secrets = append(secrets, value)
	}
	client := o.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	return &sender{
		gate: &gate{client: client, header: http.Header{"User-Agent": {userAgent}}, custom: custom},
		key:  key, hide: newScrubber(secrets...),
	}, nil
}

// A keyError is an error in resolving a secret.
type keyError struct{ err error }

func (e *keyError) Error() string { return e.err.Error() }

const (
	// unknownMax is the response limit for unknown models if the protocol
	// requires one.
	unknownMax = 16384
	// margin is the error margin of an estimate.
	margin = 4096
)

// room returns how many tokens a response can have: limit, or the rest of the
// context window. It estimates the conversation by its text. It ignores
// recorded usage, which may be from before a compaction (pitfall 105) or empty
// (pitfall 106).
func room(m Model, r Request, limit int64) int64 {
	if m.ContextWindow <= 0 {
		return limit
	}
	return min(limit, max(1, m.ContextWindow-size(r)-margin))
}

func size(r Request) int64 {
	estimate := compact.ByScript
	tokens := estimate.Tokens(&format.User{Content: format.TextContent(r.System)})
	for _, t := range r.Tools {
		text := t.Name + t.Description + string(t.Parameters)
		tokens += estimate.Tokens(&format.User{Content: format.TextContent(text)})
	}
	for _, m := range r.Messages {
		tokens += estimate.Tokens(m)
	}
	return tokens
}
