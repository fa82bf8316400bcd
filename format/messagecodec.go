package format

import (
	"fmt"

	"github.com/pith-sessions/pith/internal/jsonl"
)

var roleKeys = jsonl.NewKeys("role")

// DecodeMessage decodes a message. The error wraps [ErrSyntax] and means that
// raw is not a JSON object. A message of an unknown role decodes as
// [UnknownMessage].
func DecodeMessage(raw []byte) (Message, error) {
	var spans [1]jsonl.Span
	if shape, at := roleKeys.Scan(raw, spans[:]); shape != jsonl.Object {
		return nil, fmt.Errorf("message: %w", shapeError(raw, shape, at))
	}
	return decodeMessage(raw), nil
}

// decodeMessage decodes a value that is valid JSON or empty.
func decodeMessage(raw []byte) Message {
	if jsonl.KindOf(raw) != '{' {
		return &UnknownMessage{kept: kept{clip(raw)}}
	}
	c := newCodec(reading, raw)
	defer c.release()
	m := newMessage(Role(asWord(c.last("role"))), kept{clip(raw)})
	m.fields(c)
	return m
}

func newMessage(role Role, keep kept) Message {
	switch role {
	case RoleUser:
		return &User{kept: keep}
	case RoleAssistant:
		return &Assistant{kept: keep}
	case RoleToolResult:
		return &ToolResult{kept: keep}
	case RoleBashExecution:
		return &BashExecution{kept: keep}
	case RoleCustom, RoleHookMessage:
		return &CustomRole{kept: keep}
	case RoleSystem:
		return &System{kept: keep}
	case RoleBranchSummary:
		return &BranchSummaryMessage{kept: keep}
	case RoleCompactionSummary:
		return &CompactionSummaryMessage{kept: keep}
	default:
		return &UnknownMessage{kept: keep, RoleName: role}
	}
}

// AppendMessage appends a message on one line: its fields in pi's order or, for
// a decoded message, its bytes with the fields that changed since.
func AppendMessage(dst []byte, m Message) []byte { return appendEncoded(dst, m) }

// WithContent returns a copy of m with other content. The rest of a decoded
// message keeps its bytes, including unknown fields. A message whose JSON is
// not an object is returned unchanged.
func WithContent(m Message, c Content) Message {
	raw := m.Raw()
	if jsonl.KindOf(raw) != '{' {
		return m
	}
	return decodeMessage(jsonl.Set(raw, "content", AppendContent(nil, c)))
}

func (m *User) fields(c *codec) {
	c.fixed("role", string(RoleUser))
	field(c, "content", &m.Content, contentKind)
	field(c, "timestamp", &m.Timestamp, intKind)
}

// fields visits the members that a provider adds to a response after the
// timestamp, in pi's order.
func (m *Assistant) fields(c *codec) {
	c.fixed("role", string(RoleAssistant))
	field(c, "content", &m.Content, listKind)
	field(c, "api", &m.API, textKind)
	field(c, "provider", &m.Provider, textKind)
	field(c, "model", &m.Model, textKind)
	field(c, "usage", &m.Usage, usageKind)
	field(c, "stopReason", &m.StopReason, wordKind)
	field(c, "timestamp", &m.Timestamp, intKind)
	optional(c, "responseModel", &m.ResponseModel, textKind)
	optional(c, "responseId", &m.ResponseID, textKind)
	optional(c, "errorMessage", &m.ErrorMessage, textKind)
	optional(c, "thinkingLevel", &m.ThinkingLevel, textKind)
}

func (m *ToolResult) fields(c *codec) {
	c.fixed("role", string(RoleToolResult))
	field(c, "toolCallId", &m.ToolCallID, textKind)
	field(c, "toolName", &m.ToolName, textKind)
	field(c, "content", &m.Content, listKind)
	optional(c, "details", &m.Details, rawKind)
	field(c, "isError", &m.IsError, boolKind)
	optional(c, "usage", &m.Usage, usagePointerKind)
	optional(c, "durationMs", &m.DurationMs, intKind)
	field(c, "timestamp", &m.Timestamp, intKind)
}

func (m *BashExecution) fields(c *codec) {
	c.fixed("role", string(RoleBashExecution))
	field(c, "command", &m.Command, textKind)
	field(c, "output", &m.Output, textKind)
	optional(c, "exitCode", &m.ExitCode, intPointerKind)
	field(c, "cancelled", &m.Cancelled, boolKind)
	field(c, "truncated", &m.Truncated, boolKind)
	optional(c, "fullOutputPath", &m.FullOutputPath, textKind)
	field(c, "timestamp", &m.Timestamp, intKind)
	optional(c, "excludeFromContext", &m.ExcludeFromContext, boolKind)
}

func (m *CustomRole) fields(c *codec) {
	c.fixed("role", string(RoleCustom))
	field(c, "customType", &m.CustomType, textKind)
	field(c, "content", &m.Content, contentKind)
	field(c, "display", &m.Display, boolKind)
	optional(c, "details", &m.Details, rawKind)
	field(c, "timestamp", &m.Timestamp, intKind)
	optional(c, "excludeFromContext", &m.ExcludeFromContext, boolKind)
}

func (m *System) fields(c *codec) {
	c.fixed("role", string(RoleSystem))
	field(c, "content", &m.Content, contentKind)
	optional(c, "sections", &m.Sections, rawKind)
	optional(c, "toolsAdded", &m.ToolsAdded, rawKind)
	optional(c, "toolsRemoved", &m.ToolsRemoved, rawKind)
	field(c, "timestamp", &m.Timestamp, intKind)
}

func (m *BranchSummaryMessage) fields(c *codec) {
	c.fixed("role", string(RoleBranchSummary))
	field(c, "summary", &m.Summary, textKind)
	field(c, "fromId", &m.FromID, textKind)
	field(c, "timestamp", &m.Timestamp, intKind)
}

func (m *CompactionSummaryMessage) fields(c *codec) {
	c.fixed("role", string(RoleCompactionSummary))
	field(c, "summary", &m.Summary, textKind)
	field(c, "tokensBefore", &m.TokensBefore, intKind)
	field(c, "timestamp", &m.Timestamp, intKind)
}

func (m *UnknownMessage) fields(c *codec) {
	c.fixed("role", string(m.RoleName))
	field(c, "content", &m.Content, contentKind)
	field(c, "timestamp", &m.Timestamp, intKind)
}
