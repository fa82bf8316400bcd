package agent

import (
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// An Event is something that happened, for user interfaces: a pointer to one of
// the types of this file. Its name is the one that pi's listeners know, where
// there is one.
type Event interface {
	Name() string
	event()
}

// The events of a run. A run is what one prompt sets off: turns, each an answer
// and the results of its calls, until nothing is left to do.
type (
	// AgentStart begins a run, or the part of it that follows a recovery.
	AgentStart struct{}
	// AgentEnd ends what AgentStart began. WillRetry means that the answer failed
	// and will be asked for again.
	AgentEnd struct{ WillRetry bool }
	// Settled is the last event of a run: the session is idle again. Err is what
	// Prompt returns.
	Settled struct {
		Aborted bool
		Err     error
	}
	// TurnStart begins a turn.
	TurnStart struct{}
	// TurnEnd ends a turn. All of it is in the session.
	TurnEnd struct {
		EntryID string // of the answer
		Answer  *format.Assistant
		Results []*format.ToolResult
	}
	// MessageStart begins a message. Of an answer Message is nil: it comes in
	// pieces.
	MessageStart struct {
		Role    format.Role
		Message format.Message
	}
	// MessageUpdate is a piece of an answer. Pieces that came before a Start within
	// one answer are void: the request was sent again.
	MessageUpdate struct{ Piece llm.Event }
	// MessageEnd ends a message. It is in the session, under that id.
	MessageEnd struct {
		EntryID string
		Message format.Message
	}
	// ToolStart tells that a call is about to run.
	ToolStart struct{ Call ToolCall }
	// ToolUpdate tells what a tool has so far.
	ToolUpdate struct {
		Call    ToolCall
		Partial ToolOutput
	}
	// ToolEnd tells what a call gave. The result follows as a message.
	ToolEnd struct {
		Call   ToolCall
		Output ToolOutput
	}
	// QueueChanged tells the texts that wait, in the order in which they will go.
	QueueChanged struct{ Steering, FollowUp []string }
	// RetryStart tells that a request failed and will be sent again. MaxAttempts is 0
	// when the client of the model repeats it and does not say.
	RetryStart struct {
		Attempt, MaxAttempts int
		Delay                time.Duration
		Err                  error
	}
	// RetryEnd tells how repeating ended. Err is nil if it succeeded.
	RetryEnd struct {
		Attempt int
		Err     error
	}
)

// The events of a session.
type (
	// CompactionStart begins a compaction.
	CompactionStart struct{ Reason Reason }
	// CompactionEnd ends it. Result is nil when nothing was written; then either
	// Aborted is set or Err says why. An overflow that was not recovered is told by
	// a CompactionEnd alone.
	CompactionEnd struct {
		Reason    Reason
		Result    *Compaction
		Aborted   bool
		WillRetry bool
		Err       error
	}
	// SummaryRetryScheduled tells that a request for a summary failed and will be
	// sent again.
	SummaryRetryScheduled struct {
		Attempt int
		Delay   time.Duration
		Err     error
	}
	// SummaryRetryAttempt tells that the model has begun to answer the request that
	// was sent again. Reason is that of a compaction.
	SummaryRetryAttempt struct {
		Source SummarySource
		Reason Reason
	}
	// SummaryRetryFinished tells that no more requests for the summary follow, if
	// any was sent again.
	SummaryRetryFinished struct{}
	// Navigated tells that the position changed.
	Navigated struct {
		OldLeafID, NewLeafID string
		SummaryID            string // of the summary's entry; "" when there is none
	}
	// Switched tells that another session took the place of the one before, which
	// is closed.
	Switched struct {
		Reason       Reason
		Session      *pith.Session
		PreviousFile string // "" for a session in memory
	}
	// NameChanged tells the display name; "" when it was cleared.
	NameChanged struct{ To string }
	// ModelChanged tells the model that is asked from now on.
	ModelChanged struct{ Model llm.Model }
	// ThinkingChanged tells the level of thinking.
	ThinkingChanged struct{ Level string }
	// EntryAppended tells of an entry that is no message of a run: a context edit, or
	// what a hook added to the end of a turn or a run.
	EntryAppended struct{ Entry format.Entry }
	// Conflict tells that others have written to the session. Followed means that
	// the conversation goes on behind what they wrote; otherwise it goes on beside
	// it, because a turn was under way or the position was chosen.
	Conflict struct {
		Entries  []string // what came, in file order
		Leaf     string   // where the conversation goes on
		Followed bool
	}
	// Repaired tells what was changed in a context to make it acceptable to a
	// provider. The session stays as it is. It is told once for the same changes.
	Repaired struct{ Changes []pith.Change }
	// HookFailed tells that a hook returned an error or panicked. It counts as if
	// the hook had said nothing.
	HookFailed struct {
		Hook string // the name of the field
		Err  error
	}
	// Problem tells of an error that no caller gets and that does not stop the
	// session.
	Problem struct{ Err error }
)

// Name is the event's name.
func (*AgentStart) Name() string            { return "agent_start" }
func (*AgentEnd) Name() string              { return "agent_end" }
func (*Settled) Name() string               { return "agent_settled" }
func (*TurnStart) Name() string             { return "turn_start" }
func (*TurnEnd) Name() string               { return "turn_end" }
func (*MessageStart) Name() string          { return "message_start" }
func (*MessageUpdate) Name() string         { return "message_update" }
func (*MessageEnd) Name() string            { return "message_end" }
func (*ToolStart) Name() string             { return "tool_execution_start" }
func (*ToolUpdate) Name() string            { return "tool_execution_update" }
func (*ToolEnd) Name() string               { return "tool_execution_end" }
func (*QueueChanged) Name() string          { return "queue_update" }
func (*RetryStart) Name() string            { return "auto_retry_start" }
func (*RetryEnd) Name() string              { return "auto_retry_end" }
func (*CompactionStart) Name() string       { return "compaction_start" }
func (*CompactionEnd) Name() string         { return "compaction_end" }
func (*SummaryRetryScheduled) Name() string { return "summarization_retry_scheduled" }
func (*SummaryRetryAttempt) Name() string   { return "summarization_retry_attempt_start" }
func (*SummaryRetryFinished) Name() string  { return "summarization_retry_finished" }
func (*Navigated) Name() string             { return "session_tree" }
func (*Switched) Name() string              { return "session_switched" }
func (*NameChanged) Name() string           { return "session_info_changed" }
func (*ModelChanged) Name() string          { return "model_changed" }
func (*ThinkingChanged) Name() string       { return "thinking_level_changed" }
func (*EntryAppended) Name() string         { return "entry_appended" }
func (*Conflict) Name() string              { return "conflict" }
func (*Repaired) Name() string              { return "context_repaired" }
func (*HookFailed) Name() string            { return "extension_error" }
func (*Problem) Name() string               { return "problem" }

func (*AgentStart) event()            {}
func (*AgentEnd) event()              {}
func (*Settled) event()               {}
func (*TurnStart) event()             {}
func (*TurnEnd) event()               {}
func (*MessageStart) event()          {}
func (*MessageUpdate) event()         {}
func (*MessageEnd) event()            {}
func (*ToolStart) event()             {}
func (*ToolUpdate) event()            {}
func (*ToolEnd) event()               {}
func (*QueueChanged) event()          {}
func (*RetryStart) event()            {}
func (*RetryEnd) event()              {}
func (*CompactionStart) event()       {}
func (*CompactionEnd) event()         {}
func (*SummaryRetryScheduled) event() {}
func (*SummaryRetryAttempt) event()   {}
func (*SummaryRetryFinished) event()  {}
func (*Navigated) event()             {}
func (*Switched) event()              {}
func (*NameChanged) event()           {}
func (*ModelChanged) event()          {}
func (*ThinkingChanged) event()       {}
func (*EntryAppended) event()         {}
func (*Conflict) event()              {}
func (*Repaired) event()              {}
func (*HookFailed) event()            {}
func (*Problem) event()               {}
