package transcript

import (
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// A ChangeKind is the kind of a change that [Repair] made to a context.
type ChangeKind uint8

// The kinds of changes. Each is one rule.
const (
	// DroppedUnknown: no model supports the role, or the message is not an
	// object.
	DroppedUnknown ChangeKind = iota + 1
	// DroppedExcluded: the message is marked as not meant for a model (pitfall 94).
	DroppedExcluded
	// DroppedFailed: a response that ended in an error or was aborted (pitfalls
	// 92, 96).
	DroppedFailed
	// DroppedEmpty: a response without content and calls.
	DroppedEmpty
	// DroppedTruncatedCall: a call of a response that was cut off (pitfall 92).
	DroppedTruncatedCall
	// DroppedIncompleteCall: a call without an id or without the name of a tool.
	DroppedIncompleteCall
	// DroppedRepeatedCall: a call with the id of an earlier one of the same
	// response.
	DroppedRepeatedCall
	// DroppedResult: a result whose call was dropped (pitfall 92).
	DroppedResult
	// DroppedDuplicateResult: the call already has a result (pitfall 90).
	DroppedDuplicateResult
	// MovedResult: a result was moved to its place after its call (pitfalls 90,
	// 91).
	MovedResult
	// AddedResult: a call without a result got one that says so (pitfall 90).
	AddedResult
	// DemotedResult: a result without a call became a user message (pitfall 90).
	DemotedResult
	// RenamedCall: a call had the id of one in an earlier response and got an
	// id of its own. The call and its result are reported, each with its entry.
	RenamedCall
	// ReplacedText: characters that cannot be sent became U+FFFD (pitfall 19).
	ReplacedText
)

// A Change is one change that Repair made.
type Change struct {
	Kind   ChangeKind
	Pos    int    // on the path, of the entry concerned
	CallID string // of the call concerned, if any, as in the session
	Tool   string // of that call
	Detail string // the role, the reason or the new id, if the sentence needs one
}

func (c Change) String() string {
	switch c.Kind {
	case DroppedUnknown:
		return fmt.Sprintf("removed a message with unknown role %q", c.Detail)
	case DroppedExcluded:
		return fmt.Sprintf("removed a message of role %q that is not for the model", c.Detail)
	case DroppedFailed:
		return fmt.Sprintf("removed a response that ended with %q", c.Detail)
	case DroppedEmpty:
		return "removed an empty response"
	case DroppedTruncatedCall:
		return fmt.Sprintf("removed %s: the response was cut off at the token limit", c.call())
	case DroppedIncompleteCall:
		return fmt.Sprintf("removed %s: it has no ID or no tool name", c.call())
	case DroppedRepeatedCall:
		return fmt.Sprintf("removed %s: an earlier call in the same response has this ID", c.call())
	case DroppedResult:
		return fmt.Sprintf("removed the result of %s: the call was removed", c.call())
	case DroppedDuplicateResult:
		return fmt.Sprintf("removed another result of %s, which already has one", c.call())
	case MovedResult:
		return fmt.Sprintf("moved the result of %s after its call", c.call())
	case AddedResult:
		return fmt.Sprintf("added a result for %s, which was interrupted", c.call())
	case DemotedResult:
		return fmt.Sprintf("turned the result of %s into a user message: its call is not before it", c.call())
	case RenamedCall:
		return fmt.Sprintf("gave %s the ID %q, because a call in an earlier response has its ID", c.call(), c.Detail)
	case ReplacedText:
		return "replaced invalid characters with U+FFFD"
	}
	return fmt.Sprintf("change of unknown kind %d", c.Kind)
}

func (c Change) call() string {
	if c.Tool == "" {
		return fmt.Sprintf("call %q", c.CallID)
	}
	return fmt.Sprintf("call %q of tool %q", c.CallID, c.Tool)
}

// Editable reports whether an entry has content that a context edit can replace.
func Editable(e *journal.Entry) bool {
	if e.Kind == journal.KindCustomMessage {
		return true
	}
	if e.Kind != journal.KindMessage {
		return false
	}
	switch e.Role {
	case journal.RoleUser, journal.RoleAssistant, journal.RoleToolResult:
		return true
	}
	return false
}

// EditContent returns content in the form of a role: assistant messages and
// tool results have blocks, so a string becomes one.
func EditContent(role journal.Role, c format.Content) format.Content {
	if c.IsText && (role == journal.RoleAssistant || role == journal.RoleToolResult) {
		return format.BlockContent(&format.TextBlock{Text: c.Text})
	}
	return c
}
