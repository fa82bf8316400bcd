package format

import (
	"fmt"

	"github.com/pith-sessions/pith/internal/jsonl"
)

var roleKeys = jsonl.NewKeys("role")

// DecodeMessage reads a message. The error wraps [ErrSyntax] and means that raw is
// not a JSON object; an unknown role is an [UnknownMessage].
func DecodeMessage(raw []byte) (Message, error) {
	var spans [1]jsonl.Span
	if shape, at := roleKeys.Scan(raw, spans[:]); shape != jsonl.Object {
		return nil, fmt.Errorf("message: %w", shapeError(raw, shape, at))
	}
	return decodeMessage(raw), nil
}

// decodeMessage reads a value that is valid JSON or empty.
func decodeMessage(raw []byte) Message {
	if jsonl.KindOf(raw) != '{' {
		return &UnknownMessage{kept: kept{clip(raw)}}
	}
	var room [16]member
	members := appendMembers(room[:0], raw)
	m := newMessage(Role(lastWord(members, "role")), kept{clip(raw)})
	for _, field := range members {
		m.field(field.name, field.raw)
	}
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

func (m *User) field(name, raw []byte) {
	switch string(name) {
	case "content":
		m.Content = DecodeContent(raw)
	case "timestamp":
		m.Timestamp = asInt(raw)
	}
}

func (m *Assistant) field(name, raw []byte) {
	switch string(name) {
	case "content":
		m.Content = DecodeContent(raw)
	case "api":
		m.API = asString(raw)
	case "provider":
		m.Provider = asString(raw)
	case "model":
		m.Model = asString(raw)
	case "responseModel":
		m.ResponseModel = asString(raw)
	case "responseId":
		m.ResponseID = asString(raw)
	case "usage":
		m.Usage, _ = asUsage(raw)
	case "stopReason":
		m.StopReason = asWord(raw)
	case "errorMessage":
		m.ErrorMessage = asString(raw)
	case "thinkingLevel":
		m.ThinkingLevel = asString(raw)
	case "timestamp":
		m.Timestamp = asInt(raw)
	}
}

func (m *ToolResult) field(name, raw []byte) {
	switch string(name) {
	case "toolCallId":
		m.ToolCallID = asString(raw)
	case "toolName":
		m.ToolName = asString(raw)
	case "content":
		m.Content = DecodeContent(raw)
	case "details":
		m.Details = asRaw(raw)
	case "isError":
		m.IsError = asBool(raw)
	case "usage":
		m.Usage = asUsagePointer(raw)
	case "durationMs":
		m.DurationMs = asInt(raw)
	case "timestamp":
		m.Timestamp = asInt(raw)
	}
}

func (m *BashExecution) field(name, raw []byte) {
	switch string(name) {
	case "command":
		m.Command = asString(raw)
	case "output":
		m.Output = asString(raw)
	case "exitCode":
		m.ExitCode = asIntPointer(raw)
	case "cancelled":
		m.Cancelled = asBool(raw)
	case "truncated":
		m.Truncated = asBool(raw)
	case "fullOutputPath":
		m.FullOutputPath = asString(raw)
	case "excludeFromContext":
		m.ExcludeFromContext = asBool(raw)
	case "timestamp":
		m.Timestamp = asInt(raw)
	}
}

func (m *CustomRole) field(name, raw []byte) {
	switch string(name) {
	case "customType":
		m.CustomType = asString(raw)
	case "content":
		m.Content = DecodeContent(raw)
	case "display":
		m.Display = asBool(raw)
	case "details":
		m.Details = asRaw(raw)
	case "excludeFromContext":
		m.ExcludeFromContext = asBool(raw)
	case "timestamp":
		m.Timestamp = asInt(raw)
	}
}

func (m *System) field(name, raw []byte) {
	switch string(name) {
	case "content":
		m.Content = DecodeContent(raw)
	case "sections":
		m.Sections = asRaw(raw)
	case "toolsAdded":
		m.ToolsAdded = asRaw(raw)
	case "toolsRemoved":
		m.ToolsRemoved = asRaw(raw)
	case "timestamp":
		m.Timestamp = asInt(raw)
	}
}

func (m *BranchSummaryMessage) field(name, raw []byte) {
	switch string(name) {
	case "summary":
		m.Summary = asString(raw)
	case "fromId":
		m.FromID = asString(raw)
	case "timestamp":
		m.Timestamp = asInt(raw)
	}
}

func (m *CompactionSummaryMessage) field(name, raw []byte) {
	switch string(name) {
	case "summary":
		m.Summary = asString(raw)
	case "tokensBefore":
		m.TokensBefore = asInt(raw)
	case "timestamp":
		m.Timestamp = asInt(raw)
	}
}

func (m *UnknownMessage) field(name, raw []byte) {
	switch string(name) {
	case "content":
		m.Content = DecodeContent(raw)
	case "timestamp":
		m.Timestamp = asInt(raw)
	}
}
