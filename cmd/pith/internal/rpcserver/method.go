package rpcserver

import (
	"context"
	"maps"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
)

// A method is a method that a client can call.
type method struct {
	name   string
	params signature
	empty  func() any // returns a pointer to a struct for the parameters
	handle handler
	place  place
	quiet  bool // moves the leaf or changes what a model sees: rejected while a conversation is busy
}

type handler func(context.Context, *call) (result any, err error)

// A place defines which goroutine serves a method.
type place uint8

const (
	byItself place = iota // its own goroutine; the method must not touch an open session
	inQueue               // the session's queue
	inNewOne              // the queue of the session that the method opens
)

// newMethod returns a method whose parameters are the fields of P, after the session if it
// runs in a session's queue.
func newMethod[P any](name string, at place, do func(context.Context, *call, *P) (any, error)) *method {
	m := &method{name: name, params: signatureOf[P](), empty: func() any { return new(P) }, place: at}
	if at == inQueue {
		m.params = append(signatureOf[ofSession](), m.params...)
	}
	m.handle = func(ctx context.Context, c *call) (any, error) { return do(ctx, c, c.params.(*P)) }
	return m
}

// onServer returns a method that needs no session.
func onServer[P any](name string, do func(context.Context, *call, *P) (any, error)) *method {
	return newMethod(name, byItself, do)
}

// opening returns a method that issues a handle.
func opening[P any](name string, do func(context.Context, *call, *P) (any, error)) *method {
	return newMethod(name, inNewOne, do)
}

// onSession returns a method of a session, whose handle is its first parameter.
func onSession[P any](name string, do func(context.Context, *call, *P) (any, error)) *method {
	return newMethod(name, inQueue, do)
}

// whenQuiet returns the method, rejected while a conversation is busy.
func (m *method) whenQuiet() *method {
	m.quiet = true
	return m
}

// read reads the parameters of a request.
func (m *method) read(raw []byte) (session string, params any, err error) {
	params = m.empty()
	if m.place != inQueue {
		return "", params, m.params.read(raw, params)
	}
	var of ofSession
	values := m.params.values(raw)
	if err = m.params[:1].set(values[:1], &of); err == nil {
		err = m.params[1:].set(values[1:], params)
	}
	return of.Session, params, err
}

// allMethods returns the methods of the server by name. A read-only server
// rejects those that create, move or remove sessions; the sessions themselves
// reject appends.
func allMethods(readOnly bool) map[string]*method {
	all := map[string]*method{}
	for _, m := range slices.Concat(operations(), readMethods(), treeMethods(), contextMethods(), keptMethods(), serverMethods()) {
		all[m.name] = m
	}
	for _, m := range slices.Concat(newMethods(), switchMethods(), appendMethods(), conversationMethods(), choiceMethods(), keepMethods()) {
		if readOnly {
			m = m.refused(pith.ErrReadOnly)
		}
		all[m.name] = m
	}
	return all
}

// refused returns the method with an error instead of its handler. A method of
// a session keeps its place in the session's queue.
func (m *method) refused(err error) *method {
	refuse := func(context.Context, *call) (any, error) { return nil, err }
	if m.place != inQueue {
		return &method{name: m.name, empty: func() any { return new(none) }, handle: refuse}
	}
	return &method{name: m.name, params: m.params, empty: m.empty, handle: refuse, place: inQueue}
}

// A call is a request that is being served.
type call struct {
	server  *server
	request *request
	params  any   // a pointer to the struct of the method
	bad     error // why the parameters are invalid

	// handle and session are set for the methods of a session.
	handle  *handle
	session *pith.Session
}

// prepare checks that the call can be served now, and sets the session of the
// handle.
func (c *call) prepare(m *method) error {
	if c.bad != nil {
		return c.bad
	}
	if m.place != inQueue {
		return nil
	}
	if c.handle.session == nil {
		return c.handle.missing()
	}
	if l := c.handle.live; l != nil && m.quiet {
		if with := l.conv.Busy(); with != agent.ActivityIdle {
			return &agent.BusyError{With: with}
		}
	}
	c.session = c.handle.current()
	return nil
}

func serverMethods() []*method {
	return []*method{
		onServer("version", version),
		onServer("methods", methodNames),
	}
}

func version(_ context.Context, c *call, _ *none) (any, error) {
	return object{}.Text("version", c.server.opt.Version).Number("format", format.Version), nil
}

func methodNames(_ context.Context, c *call, _ *none) (any, error) {
	return slices.Sorted(maps.Keys(c.server.methods)), nil
}
