package catalog

import (
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Status describes how the conversation on the active path ended. It depends
// on the last user or assistant message or tool result on the path to the leaf;
// later names, labels, summaries and extension messages change nothing.
type Status string

// The statuses of a session.
const (
	// StatusEmpty means that the active path has no messages.
	StatusEmpty Status = "empty"
	// StatusComplete means that the assistant ended its turn.
	StatusComplete Status = "complete"
	// StatusPending means that a user message is last and has no response.
	StatusPending Status = "pending"
	// StatusInterrupted means that the assistant was not done: it called tools
	// whose results are missing or have no response, or it reached its token
	// limit. A session in use looks like that too.
	StatusInterrupted Status = "interrupted"
	// StatusAborted means that the user stopped the assistant.
	StatusAborted Status = "aborted"
	// StatusError means that the last response failed.
	StatusError Status = "error"
)

// Statuses are all statuses, in the order in which help lists them.
var Statuses = []Status{StatusComplete, StatusPending, StatusInterrupted, StatusAborted, StatusError, StatusEmpty}

// Unfinished reports whether a message has no response yet, or the last response
// was interrupted or failed.
func (s Status) Unfinished() bool {
	return s == StatusPending || s == StatusInterrupted || s == StatusError
}

// A state is a Status in one byte. stateUnknown is that of a path whose earlier
// part was not read.
type state byte

const (
	stateEmpty state = iota
	stateComplete
	statePending
	stateInterrupted
	stateAborted
	stateError
	stateUnknown
)

var stateNames = [...]Status{
	stateEmpty: StatusEmpty, stateComplete: StatusComplete, statePending: StatusPending,
	stateInterrupted: StatusInterrupted, stateAborted: StatusAborted, stateError: StatusError,
	stateUnknown: StatusEmpty,
}

// stateAfter returns the state after a message; ok is false for one that does
// not change it.
func stateAfter(m *journal.Message) (_ state, ok bool) {
	switch m.Speaker() {
	case journal.RoleUser:
		return statePending, true
	case journal.RoleToolResult:
		return stateInterrupted, true
	case journal.RoleAssistant:
	default:
		return stateEmpty, false
	}
	switch string(jsonl.TextOf(m.StopReason)) {
	case "toolUse", "length", "deferred":
		return stateInterrupted, true
	case "aborted":
		return stateAborted, true
	case "error":
		return stateError, true
	}
	return stateComplete, true
}
