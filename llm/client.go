package llm

import (
	"cmp"
	"context"
	"net/http"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// A client is what the clients of both protocols have in common.
type client struct {
	model  Model
	opts   Options
	compat compat
	levels levels
}

// newClient fills in the protocol and the address where the model names none.
func newClient(m Model, o Options, api, address string) client {
	m.API, m.BaseURL = cmp.Or(m.API, api), cmp.Or(m.BaseURL, address)
	m = (&model{Model: m, levels: o.Levels}).described()
	return client{m, o, compatOf(m, o.Compat), decodeLevels(o.Levels)}
}

// Model implements [Client].
func (c *client) Model() Model { return c.model }

// stream gets one answer. ask sends the request and reads the answer; its context
// ends when the provider is silent for too long.
func (c *client) stream(ctx context.Context, r Request, observe func(Event), ask func(context.Context, *sender, *answer) error) (*format.Assistant, error) {
	a := newAnswer(c.model, c.opts, observe)
	s, err := c.opts.sender()
	if err != nil {
		return a.fail(ctx, ctx, err, scrubber{})
	}
	watched, alive, stop := watch(ctx, c.opts.response(), c.opts.idle())
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

// userAgent names the program to providers.
const userAgent = "pith"

// A sender is what one request is sent with: the gate that it goes through, its key,
// and the secrets that must not come back in an error.
type sender struct {
	gate *gate
	key  string
	hide scrubber
}

// sender asks for the secrets. The error of a secret that is missing is
// [Final]: asking again would not help.
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

// A keyError is a secret that could not be had.
type keyError struct{ err error }

func (e *keyError) Error() string { return e.err.Error() }

const (
	// unknownMax is the limit of an answer where nothing is known and the protocol
	// wants a number.
	unknownMax = 16384
	// margin is what an estimate may be wrong by.
	margin = 4096
)

// room is how many tokens an answer can have beside the conversation: limit, or
// what the window leaves. The conversation is measured by its size. Usage that
// it records is not looked at: it may stem from before a compaction (pitfall
// 105) or be empty (pitfall 106).
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
