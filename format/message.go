package format

import (
	"encoding/json"
	"time"
)

// A Message is the content of a message entry or an element of a context: a
// *[User], *[Assistant], *[ToolResult], *[BashExecution], *[CustomRole],
// *[System], *[BranchSummaryMessage], *[CompactionSummaryMessage] or
// *[UnknownMessage].
type Message interface {
	Role() Role
	// Raw returns the message as JSON: the decoded bytes with later changes, or
	// a new encoding for a message made in memory. It is nil for an entry
	// without a message.
	Raw() json.RawMessage
	// Time returns the time of the message. ok is false if it has none.
	Time() (t time.Time, ok bool)

	decodable
}

// A User message is the input of a person.
type User struct {
	kept
	Content   Content
	Timestamp int64 // milliseconds since 1970
}

// An Assistant message is a model's response.
type Assistant struct {
	kept
	Content Content
	// API, Provider and Model identify the requested model. ResponseModel is
	// the model that responded, if the provider reports it.
	API, Provider, Model, ResponseModel, ResponseID string
	Usage                                           Usage
	// StopReason is one of stop, length, toolUse, error, aborted and deferred.
	StopReason    string
	ErrorMessage  string
	ThinkingLevel string
	Timestamp     int64
}

// A ToolResult is the result of a [ToolCallBlock].
type ToolResult struct {
	kept
	ToolCallID, ToolName string
	Content              Content
	// Details are for display and are not sent to a model. Their form depends
	// on the tool.
	Details    json.RawMessage
	IsError    bool
	Usage      *Usage
	DurationMs int64
	Timestamp  int64
}

// A BashExecution is a command that the user ran from the prompt.
type BashExecution struct {
	kept
	Command, Output string
	// ExitCode is nil if the command was cancelled.
	ExitCode             *int64
	Cancelled, Truncated bool
	FullOutputPath       string
	// ExcludeFromContext hides the command from the model.
	ExcludeFromContext bool
	Timestamp          int64
}

// A CustomRole is a message that an extension added to the context. pi stores
// it as a [CustomMessage] entry; as a message it occurs in migrated files, in
// files of pi_agent_rust and in contexts. A version 2 hookMessage also decodes
// as CustomRole.
type CustomRole struct {
	kept
	CustomType         string
	Content            Content
	Display            bool
	Details            json.RawMessage
	ExcludeFromContext bool
	Timestamp          int64
}

// A System message changes the prompt or the set of tools.
type System struct {
	kept
	Content Content
	// Sections maps names to text; null removes a section.
	Sections     json.RawMessage
	ToolsAdded   json.RawMessage
	ToolsRemoved json.RawMessage
	Timestamp    int64
}

// A BranchSummaryMessage summarizes an abandoned branch.
type BranchSummaryMessage struct {
	kept
	Summary, FromID string
	Timestamp       int64
}

// A CompactionSummaryMessage summarizes the entries that a compaction removed.
type CompactionSummaryMessage struct {
	kept
	Summary      string
	TokensBefore int64
	Timestamp    int64
}

// An UnknownMessage has a role unknown to this package, or is not an object;
// then RoleName is empty.
type UnknownMessage struct {
	kept
	RoleName  Role
	Content   Content
	Timestamp int64
}

// NewUser returns a user message with one text block, as pi makes it from a
// prompt.
func NewUser(text string, at time.Time) *User {
	return &User{Content: BlockContent(&TextBlock{Text: text}), Timestamp: at.UnixMilli()}
}

// NewAssistant returns a complete response with one text block. The caller adds
// the model and the usage.
func NewAssistant(text string, at time.Time) *Assistant {
	return &Assistant{Content: BlockContent(&TextBlock{Text: text}), StopReason: "stop", Timestamp: at.UnixMilli()}
}

// NewToolResult returns the result of a tool call with one text block.
func NewToolResult(callID, toolName, text string, at time.Time) *ToolResult {
	return &ToolResult{ToolCallID: callID, ToolName: toolName, Content: BlockContent(&TextBlock{Text: text}), Timestamp: at.UnixMilli()}
}

// ContentOf returns the content of a message of any role: its content, its
// summary, or the output of a command. ok is false for a role that has none of
// these.
func ContentOf(m Message) (_ Content, ok bool) {
	switch m := m.(type) {
	case *User:
		return m.Content, true
	case *Assistant:
		return m.Content, true
	case *ToolResult:
		return m.Content, true
	case *CustomRole:
		return m.Content, true
	case *System:
		return m.Content, true
	case *BashExecution:
		return TextContent(m.Output), true
	case *BranchSummaryMessage:
		return TextContent(m.Summary), true
	case *CompactionSummaryMessage:
		return TextContent(m.Summary), true
	case *UnknownMessage:
		return m.Content, m.RoleName != ""
	}
	return Content{}, false
}

// Role implementations.

func (m *User) Role() Role                     { return RoleUser }
func (m *Assistant) Role() Role                { return RoleAssistant }
func (m *ToolResult) Role() Role               { return RoleToolResult }
func (m *BashExecution) Role() Role            { return RoleBashExecution }
func (m *CustomRole) Role() Role               { return RoleCustom }
func (m *System) Role() Role                   { return RoleSystem }
func (m *BranchSummaryMessage) Role() Role     { return RoleBranchSummary }
func (m *CompactionSummaryMessage) Role() Role { return RoleCompactionSummary }
func (m *UnknownMessage) Role() Role           { return m.RoleName }

// Raw implementations.

func (m *User) Raw() json.RawMessage                     { return encoded(m) }
func (m *Assistant) Raw() json.RawMessage                { return encoded(m) }
func (m *ToolResult) Raw() json.RawMessage               { return encoded(m) }
func (m *BashExecution) Raw() json.RawMessage            { return encoded(m) }
func (m *CustomRole) Raw() json.RawMessage               { return encoded(m) }
func (m *System) Raw() json.RawMessage                   { return encoded(m) }
func (m *BranchSummaryMessage) Raw() json.RawMessage     { return encoded(m) }
func (m *CompactionSummaryMessage) Raw() json.RawMessage { return encoded(m) }

func (m *UnknownMessage) Raw() json.RawMessage {
	if len(m.raw) == 0 && m.RoleName == "" {
		return nil
	}
	return encoded(m)
}

// Time implementations.

func (m *User) Time() (time.Time, bool)                     { return fromMillis(m.Timestamp) }
func (m *Assistant) Time() (time.Time, bool)                { return fromMillis(m.Timestamp) }
func (m *ToolResult) Time() (time.Time, bool)               { return fromMillis(m.Timestamp) }
func (m *BashExecution) Time() (time.Time, bool)            { return fromMillis(m.Timestamp) }
func (m *CustomRole) Time() (time.Time, bool)               { return fromMillis(m.Timestamp) }
func (m *System) Time() (time.Time, bool)                   { return fromMillis(m.Timestamp) }
func (m *BranchSummaryMessage) Time() (time.Time, bool)     { return fromMillis(m.Timestamp) }
func (m *CompactionSummaryMessage) Time() (time.Time, bool) { return fromMillis(m.Timestamp) }
func (m *UnknownMessage) Time() (time.Time, bool)           { return fromMillis(m.Timestamp) }
