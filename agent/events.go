package agent

import (
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// An Event reports something that happened in a conversation. It is a pointer to
// one of the types below.
type Event interface{ event() }

// The events of a run. A run is everything that one prompt causes: turns, each
// a response and the results of its tool calls, until there is nothing left to
// do.
type (
	// AgentStart starts a run, or the part of a run that follows a recovery.
	AgentStart struct{}
	// AgentEnd ends the part that AgentStart started. WillRetry means that the
	// response failed and will be requested again.
	AgentEnd struct{ WillRetry bool }
	// Settled is the last event of a run. The conversation is idle again. Err is
	// the error that Prompt returns.
	Settled struct {
		Aborted bool
		Err     error
	}
	// TurnStart starts a turn.
	TurnStart struct{}
	// TurnEnd ends a turn. All its messages are in the session.
	TurnEnd struct {
		EntryID string // entry of the response
		Answer  *format.Assistant
		Results []*format.ToolResult
	}
	// MessageStart starts a message. Message is nil for a response, which
	// arrives in pieces.
	MessageStart struct {
		Role    format.Role
		Message format.Message
	}
	// MessageUpdate is a piece of a response. A piece of kind llm.Start voids
	// the pieces before it: the request was sent again.
	MessageUpdate struct{ Piece llm.Event }
	// MessageEnd ends a message, which is in the session as EntryID.
	MessageEnd struct {
		EntryID string
		Message format.Message
	}
	// ToolProgress reports one call of a tool: first with a nil Output, then
	// any number of times with partial output, finally with Done set. The
	// result follows as a message.
	ToolProgress struct {
		Call   ToolCall
		Output *ToolOutput
		Done   bool
	}
	// QueueChanged lists the queued texts in the order in which they will be sent.
	QueueChanged struct{ Steering, FollowUp []string }
	// RetryStart reports that a request failed and will be sent again after Delay.
	RetryStart struct {
		Summary     bool // the request is for a summary
		Attempt     int
		MaxAttempts int // 0 if the model's client retries by itself
		Delay       time.Duration
		Err         error
	}
	// RetryEnd ends the retries. Err is nil if a request succeeded. For a
	// summary it comes once when the model starts to respond, and once with
	// Done set when no more requests follow.
	RetryEnd struct {
		Summary bool
		Reason  Reason // reason of the compaction; "" for a branch summary
		Done    bool
		Attempt int
		Err     error
	}
)

// The events of a session.
type (
	// CompactionStart starts a compaction.
	CompactionStart struct{ Reason Reason }
	// CompactionEnd ends a compaction. Result is nil if nothing was written;
	// then either Aborted or Err is set. An overflow without recovery is
	// reported by a CompactionEnd alone.
	CompactionEnd struct {
		Reason    Reason
		Result    *Compaction
		FromHook  bool // whether a hook provided the summary
		Aborted   bool
		WillRetry bool // whether the request that was too long will be sent again
		Err       error
	}
	// Navigated reports that the leaf moved.
	Navigated struct {
		OldLeafID, NewLeafID string
		Summary              *format.BranchSummary // nil if none was written
	}
	// Switched reports that another session replaced the previous one, which is
	// closed.
	Switched struct {
		Reason       Reason
		Session      *pith.Session
		PreviousFile string // "" for a session in memory
	}
	// NameChanged reports the new display name, or "" if it was cleared.
	NameChanged struct{ To string }
	// ModelChanged reports the model of the next request.
	ModelChanged struct{ Model llm.Model }
	// ThinkingChanged reports the thinking level of the next request.
	ThinkingChanged struct{ Level string }
	// EntryAppended reports an entry that is not a message of a run: a context edit,
	// or an entry that a hook added at the end of a turn or a run.
	EntryAppended struct{ Entry format.Entry }
	// Conflict reports that another program wrote to the session. If Followed is
	// set, the conversation continues after those entries. Otherwise it continues
	// on its own branch, because a turn was in progress or the leaf had been moved.
	Conflict struct {
		Entries  []string // IDs, in file order
		Leaf     string   // leaf from which the conversation continues
		Followed bool
	}
	// Repaired lists the changes that made a context acceptable to the provider.
	// The session is unchanged. The same changes are reported once.
	Repaired struct{ Changes []pith.Finding }
	// Problem reports an error that no method returns. If Hook is set, that hook
	// returned the error or panicked, and its decision was ignored.
	Problem struct {
		Hook string // name of the field in Hooks
		Err  error
	}
)

func (*AgentStart) event()      {}
func (*AgentEnd) event()        {}
func (*Settled) event()         {}
func (*TurnStart) event()       {}
func (*TurnEnd) event()         {}
func (*MessageStart) event()    {}
func (*MessageUpdate) event()   {}
func (*MessageEnd) event()      {}
func (*ToolProgress) event()    {}
func (*QueueChanged) event()    {}
func (*RetryStart) event()      {}
func (*RetryEnd) event()        {}
func (*CompactionStart) event() {}
func (*CompactionEnd) event()   {}
func (*Navigated) event()       {}
func (*Switched) event()        {}
func (*NameChanged) event()     {}
func (*ModelChanged) event()    {}
func (*ThinkingChanged) event() {}
func (*EntryAppended) event()   {}
func (*Conflict) event()        {}
func (*Repaired) event()        {}
func (*Problem) event()         {}
