package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A run is everything that one prompt causes. It is used by one goroutine.
type run struct {
	a        *Conversation
	system   *string                // configured prompt; nil for the recorded one
	offered  map[string]bool        // tools of the last request
	extra    []format.CustomMessage // messages of hooks to send with the prompt
	last     answer                 // response of the last turn
	tries    int                    // number of retries
	failures int                    // number of failed compactions
}

// An answer is one response and its results.
type answer struct {
	id      string
	message *format.Assistant
	err     error // why it failed, or nil
	results []toolResult
}

type toolResult struct {
	id      string
	message *format.ToolResult
}

// run executes a run and makes the session idle again. Without a prompt it
// continues from the leaf.
func (a *Conversation) run(ctx context.Context, w *work, p *prompt) (*format.Assistant, error) {
	r := &run{a: a}
	if a.config.System != "" {
		r.system = &a.config.System
	}
	err := r.do(ctx, p)
	a.recorder.setUnderway(false)
	if flushed := a.recorder.flush(ctx, anyMessage); err == nil {
		err = flushed
	}
	last := &Settled{Aborted: errors.Is(err, ErrAborted), Err: err}
	if err != nil {
		a.end(ctx, w, last) // queued messages wait: they would fail too
	} else {
		a.endAndDeliver(ctx, w, last)
	}
	a.events.flush()
	return r.last.message, err
}

func (r *run) do(ctx context.Context, p *prompt) error {
	if client, _ := r.a.choice.inForce(); client == nil {
		return ErrNoModel
	}
	if err := ended(ctx); err != nil {
		return err
	}
	if err := r.a.recorder.flush(ctx, anyMessage); err != nil {
		return err
	}
	queued := p == nil && !r.a.queues.empty()
	if p == nil && !queued {
		if err := canContinue(r.a.Session()); err != nil {
			return err
		}
	}
	if p != nil || queued {
		if err := r.checkBeforePrompt(ctx); err != nil {
			return err
		}
	}
	if queued {
		if p = r.a.queues.take(); p == nil {
			return nil // it was removed from the queue
		}
	}
	if p != nil {
		r.extra = r.hookPrompt(ctx, p)
	}
	if err := ended(ctx); err != nil {
		r.a.queues.putBack(p)
		return err
	}
	for {
		next, err := r.part(ctx, p)
		if next == nothing {
			next, err = r.beforeSettle(ctx, err)
		}
		if err != nil || next == nothing {
			return err
		}
		take := r.a.queues.take
		if next == sameAgain {
			take = r.a.queues.takeSteering
		}
		if p = take(); p == nil && next == queuedOne {
			return nil // it was removed from the queue
		}
	}
}

// A step is the continuation of a run after a part of it.
type step uint8

const (
	nothing   step = iota
	sameAgain      // request again: the response failed and there is a remedy
	queuedOne      // send a queued message
)

// part executes turns until the model is done or fails, and then decides how to
// continue.
func (r *run) part(ctx context.Context, p *prompt) (step, error) {
	r.a.events.emit(&AgentStart{})
	err := r.turns(ctx, p)
	retry := err == nil && r.willRetry(ctx)
	r.a.events.emit(&AgentEnd{WillRetry: retry})
	if err != nil {
		return nothing, err
	}
	if retry {
		return sameAgain, r.prepareRetry(ctx)
	}
	r.endRetry()
	if err := ended(ctx); err != nil {
		return nothing, err
	}
	again, err := r.check(ctx, r.last, afterRun)
	if err != nil {
		return nothing, err
	}
	if err := ended(ctx); err != nil {
		return nothing, err
	}
	switch {
	case again:
		return sameAgain, nil
	case r.last.err != nil:
		return nothing, &AnswerError{r.last.id, r.last.err}
	case r.a.queues.empty():
		return nothing, nil
	}
	return queuedOne, nil
}

func (r *run) turns(ctx context.Context, p *prompt) error {
	r.a.events.emit(&TurnStart{})
	if err := r.say(ctx, p); err != nil {
		return err
	}
	r.a.recorder.setUnderway(true)
	for {
		if err := r.ask(ctx); err != nil {
			return err
		}
		if r.last.err == nil {
			if err := r.callTools(ctx); err != nil {
				return err
			}
		}
		again, err := r.endTurn(ctx)
		if err != nil {
			return err
		}
		if err := r.a.recorder.flush(ctx, isCustom); err != nil {
			return err
		}
		if r.last.err != nil || ctx.Err() != nil {
			return nil
		}
		called := len(r.last.results) > 0
		if !called && !again && r.a.queues.empty() {
			return nil
		}
		if err := r.compactBetween(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		next := r.a.queues.takeSteering
		if !called {
			next = r.a.queues.take
		}
		p := next()
		if p == nil && !called && !again {
			return nil // it was removed from the queue
		}
		r.a.events.emit(&TurnStart{})
		if err := r.say(ctx, p); err != nil {
			return err
		}
	}
}

// say writes a prompt and the hooks' messages, after changes of the model and
// the tools. For a nil prompt it only records the tools.
func (r *run) say(ctx context.Context, p *prompt) error {
	if p == nil {
		return r.declareTools(ctx)
	}
	err := r.a.recordModel(ctx)
	if err == nil {
		err = r.declareTools(ctx)
	}
	if err != nil {
		r.a.queues.putBack(p)
		return err
	}
	r.a.compactor.guard.recovered = false
	if _, err := r.write(ctx, p.message(r.a.config.Now())); err != nil {
		r.a.queues.putBack(p)
		return err
	}
	extra := r.extra
	r.extra = nil
	for _, c := range extra {
		if _, err := r.write(ctx, &format.CustomRole{
			CustomType: c.CustomType, Content: c.Content, Display: c.Display, Details: c.Details,
			ExcludeFromContext: c.ExcludeFromContext, Timestamp: r.a.config.Now().UnixMilli(),
		}); err != nil {
			return err
		}
	}
	return nil
}

// write reports and writes a message that is complete from the start.
func (r *run) write(ctx context.Context, m format.Message) (string, error) {
	m = hookMessage(ctx, &r.a.hooks, m)
	r.a.events.emit(&MessageStart{Role: m.Role(), Message: m})
	return r.finish(ctx, m)
}

// finish writes a complete message, then reports it.
func (r *run) finish(ctx context.Context, m format.Message) (string, error) {
	id, err := r.a.recorder.message(ctx, m)
	if err != nil {
		return "", fmt.Errorf("write %s message: %w", m.Role(), err)
	}
	r.a.events.emit(&MessageEnd{EntryID: id, Message: m})
	return id, nil
}

// ended returns the error of an aborted operation, or nil.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return aborted(ctx)
}

// canContinue returns an error if the conversation is not waiting for a
// response.
func canContinue(s *pith.Session) error {
	c, err := s.Context()
	if err != nil {
		return err
	}
	messages, _, err := forModel(c)
	if err != nil {
		return err
	}
	if len(messages) == 0 || messages[len(messages)-1].Role() == format.RoleAssistant {
		return ErrNothingToContinue
	}
	return nil
}
