package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/llm"
)

// A Config configures a conversation. The zero value is enough for everything that
// needs no model: navigating, forking, switching and naming.
type Config struct {
	// Client talks to the model. Nil means the model that the session names, if
	// Resolve knows it.
	Client llm.Client
	// Resolve returns the client of a model that a session names. It is called when
	// a session is opened, or the leaf moved, and the model there differs from the
	// current one. If Resolve is nil or fails, the current client stays; the error
	// is reported as a [Problem].
	Resolve func(provider, modelID string) (llm.Client, error)
	// Thinking is the thinking level; "" means the one that the session names.
	Thinking string
	// System is the system prompt. It is sent with each request and not recorded.
	// "" means the prompt that the session records on the current path, if any.
	System string
	// MaxTokens limits each response; 0 means the limit of the model.
	MaxTokens int64
	// Tools are the tools that the model may call. Their names must be unique. Which
	// of them a request offers depends on the branch: see [Conversation.ActiveTools].
	Tools []Tool

	// Summarizer returns the summarizer for one compaction or branch, given the
	// current client, which may be nil. If the field is nil, the current model
	// writes summaries, with the policy of Retry; see [summarize.Model]. If the
	// function returns nil, only hooks can provide summaries.
	//
	// The summarizer may also implement [summarize.UsageReporter],
	// [summarize.Unlimited], [summarize.Thinker] and [summarize.Notifier].
	Summarizer func(llm.Client) compact.Summarizer
	// Compaction returns the settings for a model; nil means compact.Defaults.
	Compaction func(llm.Model) compact.Settings
	// BranchReserve is the part of the context window, in tokens, that the summary
	// of a branch leaves free; 0 means 16384.
	BranchReserve int64

	// Retry determines how often a request that failed for a temporary reason
	// is retried. The zero policy is pi's. Failed responses stay in the
	// session, hidden from models. A client that retries by itself needs a
	// policy without retries.
	Retry llm.RetryPolicy
	// OnEvent receives all events, including those during New. It may be nil. See
	// [Conversation.Subscribe].
	OnEvent func(Event)
	// Hooks are called in this order.
	Hooks []Hooks
	// Options are used for sessions that New and Switch open. If Dir is "", it is
	// the directory of the previous session.
	Options pith.Options
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// New starts a conversation in a session and takes ownership of it: Close
// closes the session too.
//
// New calls the Start hooks. In a session without entries it records the model
// and the thinking level, which creates no file before the first prompt.
func New(s *pith.Session, c Config) (*Conversation, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	a := &Conversation{config: c, closed: make(chan struct{})}
	if err := a.tools.init(c.Tools); err != nil {
		return nil, err
	}
	a.hooks.all, a.hooks.events, a.hooks.recorder = c.Hooks, &a.events, &a.recorder
	a.queues.events = &a.events
	a.recorder.current.Store(s)
	a.recorder.events, a.recorder.followed = &a.events, a.followed
	a.choice.client, a.choice.asked = c.Client, c.Thinking
	a.compactor = compactor{config: &a.config, events: &a.events, hooks: &a.hooks, recorder: &a.recorder, choice: &a.choice}
	if c.OnEvent != nil {
		a.Subscribe(c.OnEvent)
	}
	if err := a.adopt(wanted{model: c.Client == nil, thinking: c.Thinking == ""}); err != nil {
		return nil, err
	}
	if s.View().Len() == 0 {
		if err := a.recordModel(context.Background()); err != nil {
			return nil, err
		}
	}
	a.hooks.start(context.Background(), SwitchEvent{Session: s, Reason: ReasonStartup})
	a.events.flush()
	return a, nil
}

// followed adopts the tools of a branch that another program continued and may
// have withdrawn tools from. The model does not change.
func (a *Conversation) followed(s *pith.Session) {
	if len(a.tools.all) == 0 {
		return
	}
	c, err := s.Context()
	if err == nil {
		err = a.tools.adopt(c)
	}
	if err != nil {
		a.events.emit(&Problem{Err: fmt.Errorf("find the active tools: %w", err)})
	}
}
