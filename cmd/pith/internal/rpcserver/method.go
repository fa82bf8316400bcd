package rpcserver

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A method is something that a client can ask for.
type method struct {
	name   string
	params []parameter
	handle func(context.Context, *call) (result []byte, err error)
	// aside means that the method may run beside others. It must not touch an
	// open session.
	aside bool
	// long takes the place of handle in the methods of a conversation that take
	// their time. claims means that they make it busy before they ask any hook.
	long   longMethod
	claims bool
	// serve takes the place of handle in methods that decide themselves when they
	// are done.
	serve func(s *server, m *method, r *request, deliver func(*reply))
}

// onServer makes a method that needs no session.
func onServer(name, signature string, handle func(*call) ([]byte, error)) *method {
	return reading(name, signature, func(_ context.Context, c *call) ([]byte, error) { return handle(c) })
}

// reading makes a method that reads files, and ends with the server.
func reading(name, signature string, handle func(context.Context, *call) ([]byte, error)) *method {
	return &method{name: name, params: parameters(signature), handle: handle}
}

// beside makes a method that needs no session and may take long.
func beside(name, signature string, handle func(context.Context, *call) ([]byte, error)) *method {
	return &method{name: name, params: parameters(signature), handle: handle, aside: true}
}

// onSession makes a method of a session, whose handle is its first parameter.
func onSession(name, signature string, handle func(*call) ([]byte, error)) *method {
	if signature != "" {
		signature = ", " + signature
	}
	return onServer(name, "session"+signature, handle)
}

// allMethods are the methods of the server by their names. A server that only reads
// refuses those that make, move or remove sessions; appends are refused by the
// sessions.
func allMethods(readOnly bool) map[string]*method {
	all := map[string]*method{}
	for _, m := range slices.Concat(listMethods(), readMethods(), treeMethods(), contextMethods(), pastMethods(), shareMethods(), keptMethods(), serverMethods()) {
		all[m.name] = m
	}
	for _, m := range slices.Concat(openMethods(), switchMethods(), appendMethods(), conversationMethods(), choiceMethods(), keepMethods()) {
		if readOnly && m.name != "open" && m.name != "close" {
			m = onServer(m.name, "", func(*call) ([]byte, error) { return nil, pith.ErrReadOnly })
		}
		all[m.name] = m
	}
	return all
}

// A call is one request while it is served.
type call struct {
	*params
	server  *server
	request *request

	// handle and session are set for the methods of a session.
	handle  *handle
	session *pith.Session
}

func (m *method) invoke(ctx context.Context, s *server, r *request) ([]byte, error) {
	c, err := m.prepare(s, r)
	if err != nil {
		return nil, err
	}
	return m.handle(ctx, c)
}

// prepare finds what a call is about.
func (m *method) prepare(s *server, r *request) (*call, error) {
	c := &call{params: readParams(m.params, r.params), server: s, request: r}
	if len(m.params) > 0 && m.params[0].names[0] == "session" {
		name := c.text("session")
		if c.bad != nil {
			return nil, c.bad
		}
		h, err := s.sessions.find(name)
		if err != nil {
			return nil, err
		}
		if err := h.disturbs(m.name); err != nil {
			return nil, err
		}
		c.handle, c.session = h, h.current()
	}
	return c, c.bad
}

// serverMethods tell about the server itself.
func serverMethods() []*method {
	return []*method{
		onServer("version", "", version),
		onServer("methods", "", methodNames),
	}
}

func version(c *call) ([]byte, error) {
	var o object
	o.text("version", c.server.opt.Version)
	o.number("format", format.Version)
	return o.end(), nil
}

func methodNames(c *call) ([]byte, error) {
	return texts(slices.Sorted(maps.Keys(c.server.methods))), nil
}

// idResult is the result of a call that made an entry.
func idResult(id string, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return jsonl.AppendString(nil, id), nil
}

// nothing is the result of a call that returns none.
func nothing(err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return null, nil
}

// policy reads the parameter onConflict.
func (p *params) policy(name string) pith.ConflictPolicy {
	switch s := p.optText(name); s {
	case "", "follow":
		return pith.FollowNew
	case "refuse":
		return pith.Refuse
	case "stay":
		return pith.StayOnBranch
	default:
		p.reject(name, fmt.Sprintf("must be follow, refuse or stay, not %q", s))
		return pith.FollowNew
	}
}
