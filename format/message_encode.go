package format

import (
	"encoding/json"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// AppendMessage writes a message: its bytes as decoded, on one line, or its fields
// in pi's order for one made in memory.
func AppendMessage(dst []byte, m Message) []byte {
	if raw := m.decoded(); len(raw) > 0 {
		return appendKept(dst, raw)
	}
	o := openObject(dst)
	m.encode(&o)
	return o.close()
}

func rawMessage(m Message) json.RawMessage {
	if raw := m.decoded(); len(raw) > 0 {
		return raw
	}
	return AppendMessage(nil, m)
}

// WithContent is m with other content. Everything else of a decoded message keeps
// its bytes, unknown fields too. m itself is not changed. A message whose JSON is
// no object is returned as it is.
func WithContent(m Message, c Content) Message {
	raw := m.Raw()
	if jsonl.KindOf(raw) != '{' {
		return m
	}
	return decodeMessage(jsonl.Set(raw, "content", AppendContent(nil, c)))
}

func (m *User) encode(o *object) {
	o.str("role", string(RoleUser))
	o.content("content", m.Content)
	o.int("timestamp", m.Timestamp)
}

// encode puts what a provider adds while it answers after the timestamp, where pi
// has it.
func (m *Assistant) encode(o *object) {
	o.str("role", string(RoleAssistant))
	o.content("content", m.Content.listed())
	o.str("api", m.API)
	o.str("provider", m.Provider)
	o.str("model", m.Model)
	o.usage("usage", m.Usage)
	o.str("stopReason", m.StopReason)
	o.int("timestamp", m.Timestamp)
	o.optStr("responseModel", m.ResponseModel)
	o.optStr("responseId", m.ResponseID)
	o.optStr("errorMessage", m.ErrorMessage)
	o.optStr("thinkingLevel", m.ThinkingLevel)
}

func (m *ToolResult) encode(o *object) {
	o.str("role", string(RoleToolResult))
	o.str("toolCallId", m.ToolCallID)
	o.str("toolName", m.ToolName)
	o.content("content", m.Content.listed())
	o.optRaw("details", m.Details)
	o.bool("isError", m.IsError)
	o.optUsage("usage", m.Usage)
	o.optInt("durationMs", m.DurationMs)
	o.int("timestamp", m.Timestamp)
}

func (m *BashExecution) encode(o *object) {
	o.str("role", string(RoleBashExecution))
	o.str("command", m.Command)
	o.str("output", m.Output)
	o.optIntPointer("exitCode", m.ExitCode)
	o.bool("cancelled", m.Cancelled)
	o.bool("truncated", m.Truncated)
	o.optStr("fullOutputPath", m.FullOutputPath)
	o.int("timestamp", m.Timestamp)
	o.optTrue("excludeFromContext", m.ExcludeFromContext)
}

func (m *CustomRole) encode(o *object) {
	o.str("role", string(RoleCustom))
	o.str("customType", m.CustomType)
	o.content("content", m.Content)
	o.bool("display", m.Display)
	o.optRaw("details", m.Details)
	o.int("timestamp", m.Timestamp)
	o.optTrue("excludeFromContext", m.ExcludeFromContext)
}

func (m *System) encode(o *object) {
	o.str("role", string(RoleSystem))
	o.content("content", m.Content)
	o.optRaw("sections", m.Sections)
	o.optRaw("toolsAdded", m.ToolsAdded)
	o.optRaw("toolsRemoved", m.ToolsRemoved)
	o.int("timestamp", m.Timestamp)
}

func (m *BranchSummaryMessage) encode(o *object) {
	o.str("role", string(RoleBranchSummary))
	o.str("summary", m.Summary)
	o.str("fromId", m.FromID)
	o.int("timestamp", m.Timestamp)
}

func (m *CompactionSummaryMessage) encode(o *object) {
	o.str("role", string(RoleCompactionSummary))
	o.str("summary", m.Summary)
	o.int("tokensBefore", m.TokensBefore)
	o.int("timestamp", m.Timestamp)
}

func (m *UnknownMessage) encode(o *object) {
	o.str("role", string(m.RoleName))
	o.content("content", m.Content)
	o.int("timestamp", m.Timestamp)
}
