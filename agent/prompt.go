package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// Prompt says something to the model and returns when it has done all that it
// wanted to do about it: when an answer calls no tool and nothing is queued.
//
// Each message is in the session when it has ended; see the package's invariants.
// While anything is going on the error is a [BusyError]: use Steer or FollowUp
// then. If the model does not answer, it is an [AnswerError].
func (a *Session) Prompt(ctx context.Context, text string, images ...*format.ImageBlock) error {
	p, err := newPrompt(text, images)
	if err != nil {
		return err
	}
	ctx, w, err := a.begin(ctx, Running)
	if err != nil {
		return err
	}
	return a.run(ctx, w, p)
}

// Continue goes on without a new prompt: it sends what is queued, or asks again
// for an answer that failed, was aborted or never came.
func (a *Session) Continue(ctx context.Context) error {
	ctx, w, err := a.begin(ctx, Running)
	if err != nil {
		return err
	}
	return a.run(ctx, w, nil)
}

// Record adds a command that the user ran, or a message of an extension, which
// the model sees with the next request. While anything is going on it waits for
// the end of that, or of the turn, so that it does not come between a call and its
// result; one that cannot be written then is told as a [Problem] and tried again.
func (a *Session) Record(m format.Message) error {
	switch m.(type) {
	case *format.BashExecution, *format.CustomRole:
	default:
		return fmt.Errorf("%w: a message of the role %q cannot be recorded", pith.ErrInvalid, m.Role())
	}
	a.mu.Lock()
	if a.work != nil && !a.closed {
		a.pending.add(m)
		a.mu.Unlock()
		return nil
	}
	_, w, err := a.beginLocked(a.base, recording)
	a.mu.Unlock()
	if err != nil {
		return err
	}
	if err = a.flushPending(anyMessage); err == nil { // those that came first
		_, err = a.appendMessage(m)
	}
	a.endAndDeliver(w, nil)
	return err
}

// pending are recorded messages that wait.
type pending struct {
	mu       sync.Mutex // guards messages
	messages []format.Message
}

func (p *pending) add(m format.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, m)
}

// take removes the messages for which f holds, in order.
func (p *pending) take(f func(format.Message) bool) []format.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	var taken, rest []format.Message
	for _, m := range p.messages {
		if f(m) {
			taken = append(taken, m)
		} else {
			rest = append(rest, m)
		}
	}
	p.messages = rest
	return taken
}

func (p *pending) empty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.messages) == 0
}

func (p *pending) putBack(messages []format.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(messages, p.messages...)
}

// flushPending writes the recorded messages for which f holds.
func (a *Session) flushPending(f func(format.Message) bool) error {
	waiting := a.pending.take(f)
	for i, m := range waiting {
		if _, err := a.appendMessage(m); err != nil {
			a.pending.putBack(waiting[i:])
			return err
		}
	}
	return nil
}

func anyMessage(format.Message) bool { return true }

func isCustom(m format.Message) bool { return m.Role() == format.RoleCustom }

// A prompt is what a user said.
type prompt struct {
	text   string
	images []*format.ImageBlock
	from   *[]*prompt // the queue that it was taken from
}

func newPrompt(text string, images []*format.ImageBlock) (*prompt, error) {
	if strings.TrimSpace(text) == "" && len(images) == 0 {
		return nil, ErrEmptyPrompt
	}
	return &prompt{text: text, images: images}, nil
}

// message is the prompt as pi writes it.
func (a *Session) message(p *prompt) *format.User {
	u := format.NewUser(p.text, a.config.Now())
	if len(p.images) == 0 {
		return u
	}
	blocks := []format.Block{&format.TextBlock{Text: p.text}}
	for _, i := range p.images {
		blocks = append(blocks, i)
	}
	u.Content = format.BlockContent(blocks...)
	return u
}
