package catalog

import "github.com/pith-sessions/pith/internal/envelope"

// A Status says how the conversation on the active path ended. It is that of the
// last message of user, assistant or tool on the path to where the session stands
// (F52); names, labels, summaries and messages of extensions behind it change
// nothing.
type Status string

// The states of a session.
const (
	// StatusEmpty: nothing was said on the active path.
	StatusEmpty Status = "empty"
	// StatusComplete: the assistant ended its turn by itself.
	StatusComplete Status = "complete"
	// StatusPending: the user spoke last, and waits for an answer.
	StatusPending Status = "pending"
	// StatusInterrupted: the assistant was not done. It called tools whose
	// results are missing or were not answered, or ran into its limit of tokens.
	// A session that is being worked in looks like that too.
	StatusInterrupted Status = "interrupted"
	// StatusAborted: the user stopped the assistant.
	StatusAborted Status = "aborted"
	// StatusError: the last answer failed.
	StatusError Status = "error"
)

// Statuses are all states, in the order in which help lists them.
var Statuses = []Status{StatusComplete, StatusPending, StatusInterrupted, StatusAborted, StatusError, StatusEmpty}

// A state is a Status in one byte; stateUnknown stands for that of a path
// which begins somewhere before and was not followed.
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

// stateAfter is the state behind a message; ok is false for one that changes
// nothing.
func stateAfter(m *envelope.Message) (_ state, ok bool) {
	switch m.Speaker() {
	case envelope.RoleUser:
		return statePending, true
	case envelope.RoleToolResult:
		return stateInterrupted, true
	case envelope.RoleAssistant:
	default:
		return stateEmpty, false
	}
	switch string(envelope.TextOf(m.StopReason)) {
	case "toolUse", "length", "deferred":
		return stateInterrupted, true
	case "aborted":
		return stateAborted, true
	case "error":
		return stateError, true
	}
	return stateComplete, true
}
