package rpcserver

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/sessiondir"
)

// A live is the conversation in the session of a handle. It starts with the
// first method that needs one.
type live struct {
	conv   *agent.Conversation
	setup  *userconfig.Setup
	server *server
	handle string

	closing atomic.Bool // the client closes it, and can still answer hooks

	mu      sync.Mutex // guards all below
	choice  userconfig.Choice
	write   func(llm.Client) compact.Summarizer // makes the summarizer of the next summary
	hooks   map[string]bool                     // the hooks that the client answers
	limit   time.Duration                       // for an answer to a hook
	greeted chan struct{}                       // closed after the client has acknowledged the start; nil before it is reported
	answer  json.RawMessage                     // the last response of the model
}

// live returns the conversation of the call's session. It starts one if
// necessary.
func (c *call) live() (*live, error) {
	if c.handle.live != nil {
		return c.handle.live, nil
	}
	l := &live{setup: c.server.setup(c.session.Cwd()), server: c.server, handle: c.handle.name}
	config, err := l.setup.Config(userconfig.Choice{}, c.session)
	if err != nil {
		return nil, err
	}
	l.write = config.Summarizer
	config.Summarizer, config.Compaction = l.summarizer, l.compaction
	config.Options, config.Now = c.handle.opt, c.server.opt.App.Now
	config.OnEvent, config.Hooks = l.notify, []agent.Hooks{l.asHooks()}
	if l.conv, err = agent.New(c.session, config); err != nil {
		return nil, err
	}
	c.handle.live = l
	for _, w := range l.setup.Warnings {
		c.server.out.send(question("", "warning", object{}.Text("session", l.handle).Text("text", w)))
	}
	return l, nil
}

// setup returns the user's configuration for a project.
func (s *server) setup(cwd string) *userconfig.Setup {
	if s.opt.Setup != nil {
		return s.opt.Setup(cwd)
	}
	return userconfig.Read(sessiondir.Environment{}, cwd)
}

// current returns the session that a handle refers to.
func (h *handle) current() *pith.Session {
	if h.live != nil {
		return h.live.conv.Session()
	}
	return h.session
}

func (l *live) summarizer(client llm.Client) compact.Summarizer {
	l.mu.Lock()
	write := l.write
	l.mu.Unlock()
	return write(client)
}

func (l *live) compaction(m llm.Model) compact.Settings {
	l.mu.Lock()
	choice := l.choice
	l.mu.Unlock()
	return l.setup.Compaction(choice, m)
}

// notify sends an event of the conversation to the client.
func (l *live) notify(e agent.Event) {
	if end, ok := e.(*agent.TurnEnd); ok {
		l.mu.Lock()
		l.answer = end.Answer.Raw()
		l.mu.Unlock()
	}
	l.server.out.send(question("", "event", object{}.Text("session", l.handle).Raw("event", piwire.EncodeEvent(e))))
}

// takeAnswer returns the last response since the previous call; null if there
// is none.
func (l *live) takeAnswer() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	answer := l.answer
	l.answer = nil
	if answer == nil {
		return null
	}
	return jsonl.AppendCompact(nil, answer)
}

// A liveHandler implements a method of a conversation.
type liveHandler[P any] = func(context.Context, *call, *live, *P) (any, error)

// onLive returns a method of a conversation that does not block.
func onLive[P any](name string, do liveHandler[P]) *method {
	return onSession(name, func(ctx context.Context, c *call, p *P) (any, error) {
		l, err := c.live()
		if err != nil {
			return nil, err
		}
		return do(ctx, c, l, p)
	})
}

// inLive returns a method of a conversation that may take long. It runs
// concurrently with others, but later requests are served only after it has
// started.
func inLive[P any](name string, do liveHandler[P]) *method {
	return onLive(name, func(ctx context.Context, c *call, l *live, p *P) (any, error) {
		return &later{func() (any, error) { return do(ctx, c, l, p) }, l.awaitStart}, nil
	})
}

// backgroundLive is inLive for a method that asks hooks before it starts, so that
// the reader of their answers must not wait for it.
func backgroundLive[P any](name string, do liveHandler[P]) *method {
	return onLive(name, func(ctx context.Context, c *call, l *live, p *P) (any, error) {
		return &later{run: func() (any, error) { return do(ctx, c, l, p) }}, nil
	})
}

// awaitStart returns when the conversation is busy or the request has been served,
// so that the next request finds it started.
func (l *live) awaitStart(done <-chan struct{}) {
	tick := time.NewTicker(100 * time.Microsecond)
	defer tick.Stop()
	for l.conv.Busy() == agent.ActivityIdle {
		select {
		case <-done:
			return
		case <-tick.C:
		}
	}
}
