package agent

import (
	"context"
	"encoding/json"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// Hooks let a caller take part in a conversation. Any field may be nil. The
// goroutine that does the work calls the hooks one after another and waits for
// them. It may read the session and append to it. A hook other than Tree must not
// call Close or a method of [Conversation] that takes a context. ctx ends when
// the work is aborted.
//
// A hook whose name begins with Before prevents the operation by returning an
// error that matches [ErrCancelled]; the hooks after it are not called. Any
// other error, and a panic, is reported as a [Problem] and otherwise ignored.
// Where several hooks decide about the same thing, the last decision counts.
type Hooks struct {
	// Start is called when a session has become the current one.
	Start func(ctx context.Context, e SwitchEvent) error
	// Shutdown is called before a session is closed.
	Shutdown func(ctx context.Context, e SwitchEvent) error
	// BeforeSwitch is called before New, Switch, Fork and Clone do anything.
	BeforeSwitch func(ctx context.Context, e SwitchEvent) error

	// BeforeCompact is called after a compaction was planned and before a summary
	// is requested.
	BeforeCompact func(ctx context.Context, e BeforeCompactEvent) (CompactDecision, error)
	// Compacted is called when a compaction was written or has failed.
	Compacted func(ctx context.Context, s *pith.Session, e *CompactionEnd) error

	// BeforeTree is called before the leaf moves, with or without a summary.
	BeforeTree func(ctx context.Context, e BeforeTreeEvent) (TreeDecision, error)
	// Tree is called after the leaf moved. The conversation is idle again, so that
	// it may also call methods of [Conversation] other than Close.
	Tree func(ctx context.Context, s *pith.Session, e *Navigated) error
	// Renamed is called after the display name changed.
	Renamed func(ctx context.Context, s *pith.Session) error

	// BeforePrompt is called before a prompt is written. It cannot prevent it.
	BeforePrompt func(ctx context.Context, e BeforePromptEvent) (PromptDecision, error)
	// BeforeMessage is called with each message of a run before it is written.
	// If it returns a message, which must have the same role, that one is
	// written instead. Nil keeps the original.
	BeforeMessage func(ctx context.Context, m format.Message) (format.Message, error)

	// TurnEnd is called when all messages of a turn are in the session, even if the
	// turn failed or was aborted.
	TurnEnd func(ctx context.Context, e BoundaryEvent) (BoundaryDecision, error)
	// BeforeSettle is called when a run has nothing left to do, unless it was
	// aborted. If the hook continues the run, it is called again at the end of
	// the continued run.
	BeforeSettle func(ctx context.Context, e BoundaryEvent) (BoundaryDecision, error)
}

// A Reason is the reason why a session starts or ends, or why a compaction
// happens. The values are pi's.
type Reason string

// The reasons of a [SwitchEvent].
const (
	ReasonStartup Reason = "startup"
	ReasonNew     Reason = "new"
	ReasonResume  Reason = "resume"
	ReasonFork    Reason = "fork"
	ReasonQuit    Reason = "quit"
)

// The reasons of a compaction.
const (
	ReasonManual    Reason = "manual"
	ReasonThreshold Reason = "threshold"
	ReasonOverflow  Reason = "overflow"
)

// A SwitchEvent describes the replacement of one session by another.
type SwitchEvent struct {
	Session *pith.Session // the current session
	Reason  Reason
	// OtherFile is the file of the previous session in Start, and of the next
	// one in Shutdown and BeforeSwitch; "" if none exists yet.
	OtherFile string
	// EntryID is the entry that Fork or Clone was called for, in BeforeSwitch.
	EntryID string
	// At means that the new session will include that entry, as with Clone.
	// Otherwise it ends before it.
	At bool
}

// A BeforeCompactEvent describes a planned compaction.
type BeforeCompactEvent struct {
	Session      *pith.Session
	Plan         *compact.Plan
	Instructions string // from the user; only with ReasonManual
	Reason       Reason
	WillRetry    bool // whether the request that was too long will be sent again
}

// A CompactDecision changes a compaction. The zero value changes nothing.
type CompactDecision struct {
	// Compaction is written as it is, without a summarizer, and marked as made by a
	// hook. The session sets its Base, and FirstKeptEntryID and TokensBefore if
	// they are zero. Its Summary must not be empty.
	Compaction *format.Compaction
	// Instructions replace the user's instructions for the summary; "" keeps them.
	Instructions string
	// Details are recorded with the summary instead of the lists of files.
	Details json.RawMessage
}

// A BeforeTreeEvent describes a planned move of the leaf.
type BeforeTreeEvent struct {
	Session  *pith.Session
	TargetID string
	Branch   *compact.Branch // the branch that would be abandoned
	Options  NavigateOptions
}

// A TreeDecision changes a move of the leaf. The zero value changes nothing.
type TreeDecision struct {
	// Summary is written as it is if a summary was requested. The session sets its
	// Base and FromID.
	Summary *format.BranchSummary
	// Instructions, ReplaceInstructions and Label replace those of the caller
	// if not nil.
	Instructions        *string
	ReplaceInstructions *bool
	Label               *string
}

// A BeforePromptEvent describes a prompt before it is written.
type BeforePromptEvent struct {
	Session *pith.Session
	Text    string
	Images  []*format.ImageBlock
	System  string
	Model   llm.Model
}

// A PromptDecision adds to a prompt. The messages of all hooks are sent.
type PromptDecision struct {
	// Messages are written after the prompt. The model sees them.
	Messages []format.CustomMessage
	// System is the system prompt of this run; nil keeps the current one.
	System *string
}

// A BoundaryEvent describes the end of a turn or a run.
type BoundaryEvent struct {
	Session   *pith.Session
	EntryID   string // entry of the last response
	Answer    *format.Assistant
	ResultIDs []string // IDs of the entries of Results
	Results   []*format.ToolResult
	// Err is the reason why the turn failed, or nil. It matches [ErrAborted] if
	// the turn was aborted.
	Err error
	// Decided is the decision of earlier hooks.
	Decided BoundaryDecision
}

// A BoundaryDecision determines how a run continues after a turn or at its end.
// The zero value changes nothing.
type BoundaryDecision struct {
	// Entries are appended in this order: *format.Custom, *format.CustomMessage,
	// *format.ContextEdit and *format.Compaction. The session sets their Base. A
	// compaction is marked as made by a hook and its TokensBefore is measured;
	// without a FirstKeptEntryID it keeps nothing. Each is reported as an
	// [EntryAppended]. Nil keeps the entries of earlier hooks. If one entry cannot
	// be appended, none is, and the hook has failed.
	Entries []format.Entry
	// Continue requests another response. The conversation must then be waiting
	// for one: for example, it must end with an extension message. Nil keeps
	// the decision of earlier hooks.
	Continue *bool
}
