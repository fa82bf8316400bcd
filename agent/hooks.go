package agent

import (
	"context"
	"encoding/json"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// Hooks let the caller take part in what happens to a session. Each field may be
// nil. They are called one after another by the goroutine that does the work,
// which waits for them: a hook may read the session and append to it, but must
// not call a method of [Conversation] that takes a context, nor Close. ctx ends when
// the work is aborted.
//
// A hook that returns an error or panics counts as one that said nothing; that is
// told as a [HookFailed]. Of several decisions the last one that says something
// counts; a decision to cancel ends the asking at once.
type Hooks struct {
	// Start is called when a session has become the current one.
	Start func(ctx context.Context, e StartEvent) error
	// Shutdown is called before a session is closed.
	Shutdown func(ctx context.Context, e ShutdownEvent) error
	// BeforeSwitch is called before New and Switch do anything.
	BeforeSwitch func(ctx context.Context, e BeforeSwitchEvent) (SwitchDecision, error)
	// BeforeFork is called before Fork and Clone do anything.
	BeforeFork func(ctx context.Context, e BeforeForkEvent) (ForkDecision, error)

	// BeforeCompact is called when a compaction is planned and no summary asked for.
	BeforeCompact func(ctx context.Context, e BeforeCompactEvent) (CompactDecision, error)
	// Compacted is called when a compaction is in the session.
	Compacted func(ctx context.Context, e CompactedEvent) error
	// CompactFailed is called when a compaction ended without one.
	CompactFailed func(ctx context.Context, e CompactFailedEvent) error

	// BeforeTree is called before the position changes, with or without a summary.
	BeforeTree func(ctx context.Context, e BeforeTreeEvent) (TreeDecision, error)
	// Tree is called when the position has changed.
	Tree func(ctx context.Context, e TreeEvent) error
	// Renamed is called when the display name has changed.
	Renamed func(ctx context.Context, e RenamedEvent) error

	// BeforePrompt is called when a prompt is about to be written.
	BeforePrompt func(ctx context.Context, e BeforePromptEvent) (PromptDecision, error)
	// BeforeMessage is called with each message of a run before it is written. The
	// message that it returns is written instead; it must have the same role. Nil
	// leaves it as it is.
	BeforeMessage func(ctx context.Context, m format.Message) (format.Message, error)

	// TurnEnd is called when all of a turn is in the session, also when it failed
	// or was aborted. It may add entries, and ask the model again.
	TurnEnd func(ctx context.Context, e TurnEndEvent) (BoundaryDecision, error)
	// BeforeSettle is called when nothing is left to do, before the session is idle
	// again. It may add entries, and ask the model again; then it is called again
	// at the end of that.
	BeforeSettle func(ctx context.Context, e BeforeSettleEvent) (BoundaryDecision, error)
}

// A Reason says why something happens. The words are pi's.
type Reason string

// The reasons for a session to begin or end.
const (
	ReasonStartup Reason = "startup"
	ReasonNew     Reason = "new"
	ReasonResume  Reason = "resume"
	ReasonFork    Reason = "fork"
	ReasonQuit    Reason = "quit"
)

// The reasons for a compaction.
const (
	ReasonManual    Reason = "manual"
	ReasonThreshold Reason = "threshold"
	ReasonOverflow  Reason = "overflow"
)

// A StartEvent tells that a session has begun to be used.
type StartEvent struct {
	Session      *pith.Session
	Reason       Reason // ReasonStartup, ReasonNew, ReasonResume or ReasonFork
	PreviousFile string // of the session before; "" at startup
}

// A ShutdownEvent tells that a session is about to be closed.
type ShutdownEvent struct {
	Session    *pith.Session
	Reason     Reason // ReasonQuit, ReasonNew, ReasonResume or ReasonFork
	TargetFile string // of the session that takes its place; "" when there is none
}

// A BeforeSwitchEvent asks whether another session may become the current one.
type BeforeSwitchEvent struct {
	Session    *pith.Session
	Reason     Reason // ReasonNew or ReasonResume
	TargetFile string // "" for a new session
}

// A SwitchDecision answers it.
type SwitchDecision struct{ Cancel bool }

// A BeforeForkEvent asks whether a session may be made of a part of this one.
type BeforeForkEvent struct {
	Session *pith.Session
	EntryID string
	// At means that the entry will be part of the new session, as with Clone.
	// Otherwise the new session ends before it.
	At bool
}

// A ForkDecision answers it.
type ForkDecision struct{ Cancel bool }

// A BeforeCompactEvent asks how to compact.
type BeforeCompactEvent struct {
	Session      *pith.Session
	Plan         *compact.Plan
	Instructions string // of the user; only when Reason is ReasonManual
	Reason       Reason // ReasonManual, ReasonThreshold or ReasonOverflow
	WillRetry    bool   // the request that was too long will be sent again
}

// A CompactDecision answers it.
type CompactDecision struct {
	Cancel bool
	// Compaction is written as it is, without asking for a summary, and marked as
	// made by a hook. Its Base is given by the session, and FirstKeptEntryID and
	// TokensBefore too if they are zero. A summary must not be empty.
	Compaction *format.Compaction
	// Instructions are used for the summary in the place of the user's; "" keeps
	// those.
	Instructions string
	// Details are recorded with the summary in the place of the file lists.
	Details json.RawMessage
}

// A CompactedEvent tells that a compaction was written.
type CompactedEvent struct {
	Session   *pith.Session
	Entry     *format.Compaction
	FromHook  bool
	Reason    Reason
	WillRetry bool
}

// A CompactFailedEvent tells that a compaction was begun, or was due, and that
// none was written. Err is nil when it was aborted or cancelled.
type CompactFailedEvent struct {
	Session  *pith.Session
	Reason   Reason
	Err      error
	Aborted  bool
	FromHook bool
}

// A BeforeTreeEvent asks how to move to another position.
type BeforeTreeEvent struct {
	Session  *pith.Session
	TargetID string
	// Branch is what would be left behind.
	Branch  *compact.Branch
	Options NavigateOptions
}

// A TreeDecision answers it.
type TreeDecision struct {
	Cancel bool
	// Summary is written as it is, if a summary was asked for. Its Base and FromID
	// are given by the session.
	Summary *format.BranchSummary
	// Instructions, ReplaceInstructions and Label take the place of those of the
	// caller when they are not nil.
	Instructions        *string
	ReplaceInstructions *bool
	Label               *string
}

// A TreeEvent tells that the position has changed.
type TreeEvent struct {
	Session              *pith.Session
	OldLeafID, NewLeafID string
	Summary              *format.BranchSummary // nil when none was written
	FromHook             bool                  // a hook gave Summary
}

// A RenamedEvent tells the display name; "" when it was cleared.
type RenamedEvent struct {
	Session *pith.Session
	Name    string
}

// A BeforePromptEvent asks what goes with a prompt.
type BeforePromptEvent struct {
	Session *pith.Session
	Text    string
	Images  []*format.ImageBlock
	System  string
	Model   llm.Model
}

// A PromptDecision answers it. The messages of all hooks are taken.
type PromptDecision struct {
	// Messages are written behind the prompt, and the model sees them.
	Messages []format.CustomMessage
	// System is the system prompt for this run; nil keeps it.
	System *string
}
