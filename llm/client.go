package llm

import (
	"cmp"
	"context"

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

// stream gets one answer. ask sends the request on its way and reads the answer.
func (c *client) stream(ctx context.Context, r Request, observe func(Event), ask func(*way, *answer) error) (*format.Assistant, error) {
	a := newAnswer(c.model, c.opts, observe)
	w, err := c.opts.open(ctx)
	if err != nil {
		return a.fail(ctx, ctx, err, scrubber{})
	}
	defer w.close()
	for name, value := range c.compat.affinity(r.SessionID) {
		w.gate.header.Set(name, value)
	}
	if err := ask(w, a); err != nil {
		return a.fail(ctx, w.ctx, err, w.hide)
	}
	return a.finish(), nil
}
