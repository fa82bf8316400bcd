package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A run is what one prompt sets off. It is used by one goroutine.
type run struct {
	a        *Conversation
	system   *string                // the prompt that was given; nil for the recorded one
	offered  map[string]bool        // the tools of the last request
	extra    []format.CustomMessage // what hooks say with the prompt
	last     answer                 // of the turn that ended last
	tries    int                    // how often the request was repeated
	failures int                    // how many compactions failed
}

// An answer is one message of a model and what it led to.
type answer struct {
	id      string
	message *format.Assistant
	err     error // why it failed; nil when it did not
	results []toolResult
}

// A toolResult is a result in the session.
type toolResult struct {
	id      string
	message *format.ToolResult
}

// run does a run and makes the session idle again. Without a prompt it goes on
// from where the conversation stands.
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
		a.end(ctx, w, last) // what is queued waits: it would go into the same failure
	} else {
		a.endAndDeliver(ctx, w, last)
	}
	a.events.flush()
	return r.last.message, err
}

func (r *run) do(ctx context.Context, p *prompt) error {
	if r.a.choice.current() == nil {
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
			return nil // it was taken back
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
			return nil // it was taken back
		}
	}
}

// A step is what a run does when a part of it has ended.
type step uint8

const (
	nothing   step = iota
	sameAgain      // ask again: the answer failed and there is a remedy
	queuedOne      // send a message that is queued
)

// part does the turns up to the point where the model has nothing more to do or
// failed, and then sees how to go on.
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

// turns does one turn after another.
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
			return nil // it was taken back
		}
		r.a.events.emit(&TurnStart{})
		if err := r.say(ctx, p); err != nil {
			return err
		}
	}
}

// say writes a prompt and what hooks have to say with it, behind what has changed
// about model and tools. Nil says nothing.
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

// write tells a message that is whole from the start, and writes it.
func (r *run) write(ctx context.Context, m format.Message) (string, error) {
	m = hookMessage(ctx, &r.a.hooks, m)
	r.a.events.emit(&MessageStart{Role: m.Role(), Message: m})
	return r.finish(ctx, m)
}

// finish writes a message that has ended, and tells it then.
func (r *run) finish(ctx context.Context, m format.Message) (string, error) {
	id, err := r.a.recorder.message(ctx, m)
	if err != nil {
		return "", fmt.Errorf("write the message of the %s: %w", m.Role(), err)
	}
	r.a.events.emit(&MessageEnd{EntryID: id, Message: m})
	return id, nil
}

// ended is the error of what was aborted; nil if it was not.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return aborted(ctx)
}

// canContinue fails when the conversation does not wait for an answer.
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
