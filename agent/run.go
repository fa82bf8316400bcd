package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/pith-sessions/pith/format"
)

// A run is what one prompt sets off. It is used by one goroutine.
type run struct {
	a       *Session
	ctx     context.Context
	system  *string                // the prompt that was given; nil for the recorded one
	offered map[string]bool        // the tools of the last request
	extra   []format.CustomMessage // what hooks say with the prompt
	last    answer                 // of the turn that ended last
	tries   int                    // how often the request was repeated
	vain    int                    // how many compactions failed
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
func (a *Session) run(ctx context.Context, w *work, p *prompt) error {
	r := &run{a: a, ctx: ctx}
	if a.config.System != "" {
		r.system = &a.config.System
	}
	err := r.do(p)
	a.setUnderway(false)
	if flushed := a.flushPending(anyMessage); err == nil {
		err = flushed
	}
	last := &Settled{Aborted: errors.Is(err, ErrAborted), Err: err}
	if err != nil {
		a.end(w, last) // what is queued waits: it would go into the same failure
	} else {
		a.endAndDeliver(w, last)
	}
	a.bus.flush()
	return err
}

func (r *run) do(p *prompt) error {
	if r.a.Client() == nil {
		return ErrNoModel
	}
	if err := r.aborted(); err != nil {
		return err
	}
	if err := r.a.flushPending(anyMessage); err != nil {
		return err
	}
	queued := p == nil && !r.a.queues.empty()
	if p == nil && !queued {
		if err := r.a.canContinue(); err != nil {
			return err
		}
	}
	if p != nil || queued {
		if err := r.checkBeforePrompt(); err != nil {
			return err
		}
	}
	if queued {
		if p = r.a.takeQueued(r.a.queues.take); p == nil {
			return nil // it was taken back
		}
	}
	if p != nil {
		r.extra = r.hookPrompt(p)
	}
	if err := r.aborted(); err != nil {
		r.a.putBack(p)
		return err
	}
	for {
		next, err := r.part(p)
		if next == nothing {
			next, err = r.beforeSettle(err)
		}
		if err != nil || next == nothing {
			return err
		}
		take := r.a.queues.take
		if next == sameAgain {
			take = r.a.queues.takeSteering
		}
		if p = r.a.takeQueued(take); p == nil && next == queuedOne {
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
func (r *run) part(p *prompt) (step, error) {
	r.a.bus.emit(&AgentStart{})
	err := r.turns(p)
	retry := err == nil && r.willRetry()
	r.a.bus.emit(&AgentEnd{WillRetry: retry})
	if err != nil {
		return nothing, err
	}
	if retry {
		return sameAgain, r.prepareRetry()
	}
	r.endRetry()
	if err := r.aborted(); err != nil {
		return nothing, err
	}
	again, err := r.check(r.last, afterRun)
	if err != nil {
		return nothing, err
	}
	if err := r.aborted(); err != nil {
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
func (r *run) turns(p *prompt) error {
	r.a.bus.emit(&TurnStart{})
	if err := r.say(p); err != nil {
		return err
	}
	r.a.setUnderway(true)
	for {
		if err := r.ask(); err != nil {
			return err
		}
		if r.last.err == nil {
			if err := r.callTools(); err != nil {
				return err
			}
		}
		again, err := r.endTurn()
		if err != nil {
			return err
		}
		if err := r.a.flushPending(isCustom); err != nil {
			return err
		}
		if r.last.err != nil || r.ctx.Err() != nil {
			return nil
		}
		called := len(r.last.results) > 0
		if !called && !again && r.a.queues.empty() {
			return nil
		}
		if err := r.compactBetween(); err != nil {
			return err
		}
		if r.ctx.Err() != nil {
			return nil
		}
		next := r.a.queues.takeSteering
		if !called {
			next = r.a.queues.take
		}
		p := r.a.takeQueued(next)
		if p == nil && !called && !again {
			return nil // it was taken back
		}
		r.a.bus.emit(&TurnStart{})
		if err := r.say(p); err != nil {
			return err
		}
	}
}

// say writes a prompt and what hooks have to say with it, behind what has changed
// about model and tools. Nil says nothing.
func (r *run) say(p *prompt) error {
	if p == nil {
		return r.declareTools()
	}
	err := r.a.recordModel()
	if err == nil {
		err = r.declareTools()
	}
	if err != nil {
		r.a.putBack(p)
		return err
	}
	r.a.guard.recovered = false
	if _, err := r.write(r.a.message(p)); err != nil {
		r.a.putBack(p)
		return err
	}
	extra := r.extra
	r.extra = nil
	for _, c := range extra {
		if _, err := r.write(&format.CustomRole{
			CustomType: c.CustomType, Content: c.Content, Display: c.Display, Details: c.Details,
			ExcludeFromContext: c.ExcludeFromContext, Timestamp: r.a.config.Now().UnixMilli(),
		}); err != nil {
			return err
		}
	}
	return nil
}

// write tells a message that is whole from the start, and writes it.
func (r *run) write(m format.Message) (string, error) {
	m = hookMessage(r, m)
	r.a.bus.emit(&MessageStart{Role: m.Role(), Message: m})
	return r.finish(m)
}

// finish writes a message that has ended, and tells it then.
func (r *run) finish(m format.Message) (string, error) {
	id, err := r.a.appendMessage(m)
	if err != nil {
		return "", fmt.Errorf("write the message of the %s: %w", m.Role(), err)
	}
	r.a.bus.emit(&MessageEnd{EntryID: id, Message: m})
	return id, nil
}

// aborted is the error of a run that was aborted; nil if it was not.
func (r *run) aborted() error {
	if r.ctx.Err() == nil {
		return nil
	}
	return aborted(r.ctx)
}

func aborted(ctx context.Context) error { return fmt.Errorf("%w: %w", ErrAborted, context.Cause(ctx)) }

// takeQueued takes a message from a queue and tells that.
func (a *Session) takeQueued(take func() *prompt) *prompt {
	p := take()
	if p != nil {
		a.tellQueue()
	}
	return p
}

// putBack returns a message that was not written to its queue.
func (a *Session) putBack(p *prompt) {
	if p != nil && p.from != nil {
		a.queues.putBack(p)
		a.tellQueue()
	}
}

// canContinue fails when the conversation does not wait for an answer.
func (a *Session) canContinue() error {
	c, err := a.Session().Context()
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
