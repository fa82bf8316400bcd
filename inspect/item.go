package inspect

import (
	"encoding/json"

	"github.com/pith-sessions/pith/format"
)

// A Kind says what an item is.
type Kind string

// The kinds of items.
const (
	User          Kind = "user"          // what the user said
	Answer        Kind = "answer"        // what the model said
	Thinking      Kind = "thinking"      // what the model thought
	ToolUse       Kind = "tool"          // a call of a tool, with its result
	Failure       Kind = "failure"       // an answer ended in an error, was aborted or cut off
	Shell         Kind = "bash"          // a command that the user ran
	Custom        Kind = "custom"        // a message of an extension
	State         Kind = "state"         // state of an extension, which no model sees
	Compaction    Kind = "compaction"    // the summary that replaces what came before
	BranchSummary Kind = "branchSummary" // the summary of a branch that was left
	System        Kind = "system"        // a change of the system prompt or the tools
	ModelChange   Kind = "model"
	ThinkingLevel Kind = "thinkingLevel"
	Name          Kind = "name"  // the session got a name; empty when it lost it
	Label         Kind = "label" // an entry got a label; empty when it lost it
	ContextEdit   Kind = "contextEdit"
	Spending      Kind = "usage" // tokens spent outside the conversation
	Jump          Kind = "jump"  // what follows does not follow what stands before it
	Other         Kind = "other" // a type, a role or a block that pith does not know
)

// An Item is one thing that happened. Which members are set depends on its kind.
type Item struct {
	Kind Kind `json:"kind"`
	// EntryID, Time and Label are those of the entry that it comes from.
	EntryID Text   `json:"entryId"`
	Time    Moment `json:"time"`
	Label   Text   `json:"label,omitempty"`
	// Name is the tool of a call, the type of a custom message, the new name, model,
	// level or label, how a failed answer ended, or the unknown type.
	Name Text `json:"name,omitempty"`
	// Model is the one that answered, at everything that an answer holds.
	Model Text `json:"model,omitempty"`
	// Text is what was said. The text of an image stands for it.
	Text    Text `json:"text,omitempty"`
	LeftOut *Cut `json:"leftOut,omitempty"`
	// Target is the entry that a label, a context edit, a jump, a compaction (the
	// first one kept) or a branch summary (the leaf that was left, where that is known) names.
	Target Text   `json:"target,omitempty"`
	Image  *Image `json:"image,omitempty"`
	Tool   *Tool  `json:"tool,omitempty"`
	Bash   *Bash  `json:"bash,omitempty"`
	// Hidden: the model does not see it, or for Custom, the user does not.
	Hidden bool `json:"hidden,omitempty"`
	// TokensBefore is the size of the context that a compaction replaced.
	TokensBefore int64 `json:"tokensBefore,omitempty"`
	// Spent is what the entry cost. It stands at the first item of an entry.
	Spent *Spent `json:"spent,omitempty"`
}

// An Image stands for a picture.
type Image struct {
	MimeType Text  `json:"mimeType"`
	Bytes    int64 `json:"bytes"` // 0 when the session does not hold them
	// Reference names the picture where the session does not hold it.
	Reference Text `json:"reference,omitempty"`
}

// A Tool is a call and what came of it.
type Tool struct {
	CallID    Text            `json:"callId"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // long strings in it may be cut, and say so
	// Result is nil when none came, or when it stands in another exchange.
	Result *Result `json:"result"`
	// Orphan: there is a result, and no call of it in this exchange.
	Orphan bool `json:"orphan,omitempty"`
}

// A Result is the answer of a tool.
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

// A Bash is how a command of the user ended.
type Bash struct {
	Command   Text   `json:"command"`
	ExitCode  *int64 `json:"exitCode"` // null when it was cancelled or is not known
	Cancelled bool   `json:"cancelled,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// The words that name who speaks, for [Choice.Roles].
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

// Roles are all words that name who speaks.
func Roles() []string {
	return []string{RoleUser, RoleAssistant, RoleTool, RoleBash, RoleCustom, RoleSummary, RoleSystem, RoleOther}
}

// Role is the word for who speaks in an item.
func (it *Item) Role() string {
	switch it.Kind {
	case User:
		return RoleUser
	case Answer, Thinking, Failure:
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

// roleOf is the word for who speaks in an entry, as far as its envelope tells.
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
