package agent

import (
	"context"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/llm"
)

// A Config is what a conversation is held with. The zero value works for what
// needs no model: navigating, forking, switching, naming.
type Config struct {
	// Client asks the model. Nil means the model that the session names, if
	// Resolve knows it.
	Client llm.Client
	// Resolve gives the client of a model that a session names. It is called when
	// a session is opened or navigated in and the model there is another one. Nil,
	// or an error, keeps the client in force; the error is told as a [Problem].
	Resolve func(provider, modelID string) (llm.Client, error)
	// Thinking is the level of thinking; "" means the one that the session names.
	Thinking string
	// System is the system prompt. It goes with each request and is not recorded.
	// "" means the one that the path of the session records, if it records one. A
	// prompt that is given takes the place of the recorded one for requests, as a
	// prompt that an extension forces does in pi; the record stays.
	System string
	// MaxTokens limits each answer; 0 means as much as the model allows.
	MaxTokens int64
	// Tools are those that the model may call. Names must differ. Which of them are
	// offered depends on the branch: see [Conversation.ActiveTools].
	Tools []Tool

	// Summarizer makes the summarizer for one compaction or branch, given the
	// client in force, which can be nil. Nil means that the model in force writes
	// them, with the policy of Retry; see [summarize.Model]. If it returns nil only
	// hooks can write summaries. What it returns may have more methods than a
	// summarizer must:
	//
	//	Usage() *format.Usage     // the tokens, to be recorded with the summary
	//	AnyLength() bool          // true: it takes a conversation of any length
	//	Think(level string)       // the level of thinking of the conversation
	//	Notify(func(llm.Event))   // it tells its retries from then on
	//
	// A conversation that is longer than the model's window is given in pieces to a
	// summarizer that does not take any length.
	Summarizer func(llm.Client) compact.Summarizer
	// Compaction gives the settings for a model; nil means compact.Defaults.
	Compaction func(llm.Model) compact.Settings
	// BranchReserve is the part of the window that a summary of a branch leaves
	// free; 0 means 16384.
	BranchReserve int64

	// Retry says how often a request is repeated that failed for a passing cause.
	// The zero policy is pi's. The failed answers stay in the session, hidden from
	// models. A client that repeats requests itself needs a policy without retries.
	Retry llm.RetryPolicy
	// OnEvent is subscribed before anything happens, for as long as the session is
	// open; nil means nobody. See [Conversation.Subscribe].
	OnEvent func(Event)
	// Hooks are asked in this order.
	Hooks []Hooks
	// Options are those for sessions that New and Switch open. Dir "" means the
	// folder of the session before.
	Options pith.Options
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// New begins a conversation in a session, which is the agent's from then on: use
// [Conversation.Session] to look at it and [Conversation.Close] to end both.
//
// It asks the Start hooks. In a session without entries it records the model and
// the thinking level, which creates no file before the user speaks.
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
		if err := a.recordModel(); err != nil {
			return nil, err
		}
	}
	a.hooks.start(context.Background(), StartEvent{Session: s, Reason: ReasonStartup})
	a.events.flush()
	return a, nil
}

// followed adopts the tools of the branch behind what others wrote: they may have
// withdrawn some there. The model stays the one that the user has chosen here.
func (a *Conversation) followed(s *pith.Session) {
	if err := a.tools.adoptFrom(s); err != nil {
		a.events.emit(&Problem{err})
	}
}
