package rpcserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// Options configure a server. The zero value works.
type Options struct {
	// App has the sessions of the user, the indexes, marks, trash and secrets. Its
	// directory is used as it is, without subdirectories for projects.
	App ops.App
	// Version is the version that the method version reports.
	Version string
	// MaxLine is the maximum length of a line in bytes. A longer one is
	// answered with an error and skipped. Zero means 256 MiB.
	MaxLine int
	// Setup returns the user's configuration for the project at cwd: models,
	// keys and settings. Nil reads pi's configuration.
	Setup func(cwd string) *userconfig.Setup
}

// Serve answers the requests from in, on out, until in ends. Then it closes all
// sessions, which records moved leaves, and returns nil.
//
// When ctx ends, or out cannot be written, Serve closes the sessions
// immediately and returns the cause. It abandons a read from in that is in
// progress; its goroutine ends with the read.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := newServer(ctx, out, o, cancel)
	err := s.serve(ctx, readLines(ctx, in, o.maxLine()))
	close(s.client.gone)
	s.work.Wait()
	s.sessions.settle(ctx)
	closed := s.sessions.closeAll()
	s.out.finish()
	if err == nil {
		err = context.Cause(ctx) // out may have failed on the last responses
	}
	return errors.Join(err, closed)
}

func (o *Options) maxLine() int {
	if o.MaxLine > 0 {
		return o.MaxLine
	}
	return 256 << 20
}

// maxAside is the number of methods without a session that run at the same
// time.
const maxAside = 8

// A server answers the requests of one client. One goroutine reads them.
// Requests of a session run in its queue, in order; different sessions do not
// wait for each other.
type server struct {
	opt      Options
	out      *lineWriter
	methods  map[string]*method
	sessions sessions
	pending  *pending
	client   client // answers hooks

	work sync.WaitGroup // everything but reading and writing
	room chan struct{}  // holds a token for each method that runs by itself
}

func newServer(ctx context.Context, out io.Writer, o Options, cancel context.CancelCauseFunc) *server {
	if o.App.Index != nil {
		o.App.Index = sync.OnceValue(o.App.Index)
	}
	return &server{
		opt:     o,
		out:     newLineWriter(ctx.Done(), out, cancel),
		methods: allMethods(o.App.ReadOnly),
		pending: newPending(),
		client:  client{gone: make(chan struct{}), waiting: map[string]chan<- response{}},
		room:    make(chan struct{}, maxAside),
	}
}

func (s *server) serve(ctx context.Context, lines <-chan input) error {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case l, ok := <-lines:
			switch {
			case !ok:
				return nil
			case l.err != nil:
				return fmt.Errorf("read requests: %w", l.err)
			case l.tooLong:
				s.out.send(refuse(codeParse, fmt.Sprintf("the line is longer than %d bytes", s.opt.maxLine())).pieces())
			default:
				s.take(ctx, l.text)
			}
		}
	}
	return context.Cause(ctx)
}

// cancelMethod is the notification that cancels a request, as in LSP.
const cancelMethod = "$/cancelRequest"

// run arranges for a request to be served and its response to be delivered. It
// blocks only while too many requests are pending.
func (s *server) run(ctx context.Context, r *request, deliver func(*reply)) {
	if r.method == cancelMethod && r.id == nil {
		if id, ok := jsonl.Lookup(r.params, "id"); ok {
			s.pending.cancelRequests(id)
		}
		deliver(nil)
		return
	}
	m, ok := s.methods[r.method]
	if !ok {
		deliver(r.fail(&fault{code: codeUnknownMethod, message: fmt.Sprintf("unknown method %q; the method \"methods\" lists all", shortened(r.method))}))
		return
	}
	c := &call{server: s, request: r}
	session := ""
	session, c.params, c.bad = m.read(r.params)
	var err error
	switch m.place {
	case inQueue:
		if err = c.bad; err == nil {
			c.handle, err = s.sessions.find(session)
		}
	case inNewOne:
		c.handle, err = s.sessions.add()
	}
	if err != nil {
		deliver(r.fail(faultOf(err)))
		return
	}
	ctx, j := s.pending.add(ctx, r, deliver)
	if m.place == byItself {
		s.work.Go(func() { s.runByItself(ctx, m, c, j) })
		return
	}
	c.handle.queue.add(s.work.Go, func() { s.runQueued(ctx, m, c, j) })
}

// runByItself serves a request that touches no open session.
func (s *server) runByItself(ctx context.Context, m *method, c *call, j *job) {
	select {
	case s.room <- struct{}{}:
		defer func() { <-s.room }()
	case <-ctx.Done():
	}
	if j.begin(ctx) {
		j.answer(s.guard(j.request, func() (any, error) { return m.serve(ctx, c) }))
	}
}

// runQueued serves a request of a session in the queue of its handle.
func (s *server) runQueued(ctx context.Context, m *method, c *call, j *job) {
	if m.place == inNewOne {
		defer func() {
			if c.handle.session == nil {
				s.sessions.drop()
			}
		}()
	}
	if !j.begin(ctx) {
		return
	}
	var rest *later
	answer := s.guard(j.request, func() (any, error) {
		result, err := m.serve(ctx, c)
		rest, _ = result.(*later)
		return result, err
	})
	if rest == nil || answer.fault != nil {
		j.answer(answer)
		return
	}
	done := make(chan struct{})
	s.work.Go(func() {
		defer close(done)
		j.answer(s.guard(j.request, rest.run))
	})
	if rest.wait != nil {
		rest.wait(done)
	}
}

// A later is the result of a method of a session that may take long. Its rest runs outside
// of the session's queue, which continues when wait returns. Its number is not limited,
// since a conversation does one thing at a time and rejects others immediately.
type later struct {
	run  func() (any, error)
	wait func(done <-chan struct{}) // nil does not wait
}

// serve serves a call. The caller runs in the goroutine of the method's place.
func (m *method) serve(ctx context.Context, c *call) (any, error) {
	if err := c.prepare(m); err != nil {
		return nil, err
	}
	return m.handle(ctx, c)
}

// guard returns the response for the result of serve. A panic becomes an error,
// so that it does not affect the client's other sessions.
func (s *server) guard(r *request, serve func() (any, error)) (answer *reply) {
	defer func() {
		if p := recover(); p != nil {
			answer = r.fail(panicked(p))
		}
	}()
	var raw []byte
	result, err := serve()
	if err == nil {
		raw, err = encoded(result)
	}
	if err != nil {
		return r.fail(faultOf(err))
	}
	return r.succeed(raw)
}

// encoded returns a result as JSON. Bytes are JSON already, other values have tags.
func encoded(result any) ([]byte, error) {
	var raw []byte
	switch v := result.(type) {
	case []byte:
		raw = v
	case json.RawMessage:
		raw = v
	case object:
		raw = v
	case *later:
		return nil, nil
	default:
		return present.JSON(v)
	}
	if !jsonl.Valid(raw) || bytes.IndexByte(raw, '\n') >= 0 {
		return nil, errOverwritten
	}
	return raw, nil
}

// errOverwritten means that another program has overwritten lines of a result. Lines
// are copied from the file unchanged, so they would break the protocol.
var errOverwritten = errors.New("another program has overwritten entries of the session; open it again")
