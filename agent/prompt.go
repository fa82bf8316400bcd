package agent

import (
	"context"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
)

// Prompt sends a prompt and returns when the run that it starts is over: when a
// response calls no tool and nothing is queued. It returns the model's last
// message, or nil if there was none. With an error that message may be
// incomplete.
//
// If the conversation is not idle, the error is a [BusyError]: use Steer or
// FollowUp. If the model does not respond, the error is an [AnswerError].
func (a *Conversation) Prompt(ctx context.Context, text string, images ...*format.ImageBlock) (*format.Assistant, error) {
	p, err := newPrompt(text, images)
	if err != nil {
		return nil, err
	}
	ctx, w, err := a.activity.begin(ctx, ActivityRunning)
	if err != nil {
		return nil, err
	}
	return a.run(ctx, w, p)
}

// Continue continues without a new prompt: it sends queued messages, or
// requests a response that failed, was aborted or never came. It returns what
// Prompt returns.
func (a *Conversation) Continue(ctx context.Context) (*format.Assistant, error) {
	ctx, w, err := a.activity.begin(ctx, ActivityRunning)
	if err != nil {
		return nil, err
	}
	return a.run(ctx, w, nil)
}

// Record appends a command that the user ran or an extension message. The model
// sees it with the next request. If the conversation is not idle, the message
// is appended at the end of the turn or of the activity, so that it does not
// separate a tool call from its result. A failure to write it then is reported
// as a [Problem] and the write is retried.
func (a *Conversation) Record(ctx context.Context, m format.Message) error {
	switch m.(type) {
	case *format.BashExecution, *format.CustomRole:
	default:
		return invalidf("role", string(m.Role()), "messages with role %q cannot be recorded", m.Role())
	}
	a.activity.Lock()
	if a.activity.current != nil && !a.activity.closed {
		a.recorder.waiting.add(m)
		a.activity.Unlock()
		return nil
	}
	_, w, err := a.activity.beginLocked(ctx, recording)
	a.activity.Unlock()
	if err != nil {
		return err
	}
	if err = a.recorder.flush(ctx, anyMessage); err == nil { // earlier ones first
		_, err = a.recorder.message(ctx, m)
	}
	a.endAndDeliver(ctx, w, nil)
	return err
}

type prompt struct {
	text   string
	images []*format.ImageBlock
	from   *[]*prompt // queue that it was taken from
}

func newPrompt(text string, images []*format.ImageBlock) (*prompt, error) {
	if strings.TrimSpace(text) == "" && len(images) == 0 {
		return nil, ErrEmptyPrompt
	}
	return &prompt{text: text, images: images}, nil
}

// message returns the prompt as pi writes it.
func (p *prompt) message(now time.Time) *format.User {
	u := format.NewUser(p.text, now)
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
