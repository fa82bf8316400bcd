package inspect

import (
	"encoding/json"

	"github.com/pith-sessions/pith/format"
)

// A Kind is the kind of an item.
type Kind string

// The kinds of items.
const (
	User          Kind = "user"          // a user message
	Response      Kind = "response"      // text of the model
	Thinking      Kind = "thinking"      // thinking of the model
	ToolUse       Kind = "tool"          // a tool call with its result
	Failure       Kind = "failure"       // a response that failed, was aborted or cut off
	Shell         Kind = "bash"          // a command that the user ran
	Custom        Kind = "custom"        // an extension message
	State         Kind = "state"         // extension state, which models do not see
	Compaction    Kind = "compaction"    // the summary that replaces earlier entries
	BranchSummary Kind = "branchSummary" // the summary of an abandoned branch
	System        Kind = "system"        // a change of the system prompt or the tools
	ModelChange   Kind = "model"
	ThinkingLevel Kind = "thinkingLevel"
	Name          Kind = "name"  // the session was named; empty if the name was cleared
	Label         Kind = "label" // an entry was labeled; empty if the label was cleared
	ContextEdit   Kind = "contextEdit"
	Spending      Kind = "usage" // tokens spent outside the conversation
	Jump          Kind = "jump"  // the next item does not continue the previous one
	Other         Kind = "other" // a type, role or block unknown to pith
)

// An Item is one event in a session. Its kind determines which members are set.
type Item struct {
	Kind Kind `json:"kind"`
	// EntryID, Time and Label are those of its entry.
	EntryID Text   `json:"entryId"`
	Time    Moment `json:"time"`
	Label   Text   `json:"label,omitempty"`
	// Name is the tool of a call, the type of a custom message, the new name,
	// model, level or label, the stop reason of a failed response, or the
	// unknown type.
	Name Text `json:"name,omitempty"`
	// Model is the model of the response that the item belongs to.
	Model Text `json:"model,omitempty"`
	// Text is the text of the item, or the description of an image.
	Text    Text `json:"text,omitempty"`
	LeftOut *Cut `json:"leftOut,omitempty"`
	// Target is the entry that a label, a context edit, a jump, a compaction
	// (the first kept entry) or a branch summary (the abandoned leaf, if known)
	// refers to.
	Target Text   `json:"target,omitempty"`
	Image  *Image `json:"image,omitempty"`
	Tool   *Tool  `json:"tool,omitempty"`
	Bash   *Bash  `json:"bash,omitempty"`
	// Hidden is set if the model does not see it or, for Custom, if the user
	// does not.
	Hidden bool `json:"hidden,omitempty"`
	// TokensBefore is the size of the context that a compaction replaced.
	TokensBefore int64 `json:"tokensBefore,omitempty"`
	// Spent is the usage of the entry. It is set on the first item of an entry.
	Spent *Spent `json:"spent,omitempty"`
}

// An Image describes an image.
type Image struct {
	MimeType Text  `json:"mimeType"`
	Bytes    int64 `json:"bytes"` // 0 if the session does not contain it
	// Reference identifies an image that the session does not contain.
	Reference Text `json:"reference,omitempty"`
}

// A Tool is a call and its result.
type Tool struct {
	CallID    Text            `json:"callId"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // long strings in it may be truncated, with a note
	// Result is nil if there is none, or if it is in another turn.
	Result *Result `json:"result"`
	// Orphan is set if the result has no call in this turn.
	Orphan bool `json:"orphan,omitempty"`
}

// A Result is a tool result.
type Result struct {
	EntryID    Text    `json:"entryId"`
	Time       Moment  `json:"time"`
	Label      Text    `json:"label,omitempty"`
	IsError    bool    `json:"isError"`
	Text       Text    `json:"text"`
	LeftOut    *Cut    `json:"leftOut,omitempty"`
	Images     []Image `json:"images,omitempty"`
	DurationMs int64   `json:"durationMs,omitempty"`
	Spent      *Spent  `json:"spent,omitempty"`
}

// A Bash describes a shell command of the user.
type Bash struct {
	Command   Text   `json:"command"`
	ExitCode  *int64 `json:"exitCode"` // null if cancelled or unknown
	Cancelled bool   `json:"cancelled,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// The names of roles, for [Choice.Roles].
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
	RoleBash      = "bash"
	RoleCustom    = "custom"
	RoleSummary   = "summary"
	RoleSystem    = "system"
	RoleOther     = "other"
)

// Roles returns the names of all roles.
func Roles() []string {
	return []string{RoleUser, RoleAssistant, RoleTool, RoleBash, RoleCustom, RoleSummary, RoleSystem, RoleOther}
}

// Role returns the role of an item.
func (it *Item) Role() string {
	switch it.Kind {
	case User:
		return RoleUser
	case Response, Thinking, Failure:
		return RoleAssistant
	case ToolUse:
		return RoleTool
	case Shell:
		return RoleBash
	case Custom:
		return RoleCustom
	case Compaction, BranchSummary:
		return RoleSummary
	case System:
		return RoleSystem
	}
	return RoleOther
}

// roleOf returns the role of an entry as far as its envelope determines it.
func roleOf(t format.Type, role format.Role) string {
	switch t {
	case format.TypeCustomMessage:
		return RoleCustom
	case format.TypeCompaction, format.TypeBranchSummary:
		return RoleSummary
	case format.TypeMessage:
	default:
		return RoleOther
	}
	switch role {
	case format.RoleUser:
		return RoleUser
	case format.RoleAssistant:
		return RoleAssistant
	case format.RoleToolResult:
		return RoleTool
	case format.RoleBashExecution:
		return RoleBash
	case format.RoleCustom, format.RoleHookMessage:
		return RoleCustom
	case format.RoleCompactionSummary, format.RoleBranchSummary:
		return RoleSummary
	case format.RoleSystem:
		return RoleSystem
	}
	return RoleOther
}
