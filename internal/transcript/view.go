package transcript

import (
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A view contains the parts of a message that the repair step needs.
type view struct {
	role     format.Role // "" if the message is not an object or has no role
	stop     string      // why the assistant stopped
	callID   string      // the call of a tool result
	tool     string      // the tool of a result
	excluded bool        // shown, but not meant for a model
	blocks   []block     // of an assistant's list
	spoken   bool        // an assistant message has content besides its calls
}

// look reads a message. Anything but a JSON object has no role.
func look(raw []byte) view {
	m, _ := journal.ReadMessage(raw)
	v := view{role: format.Role(jsonl.TextOf(m.Role))}
	switch v.role {
	case format.RoleAssistant:
		v.stop = string(jsonl.TextOf(m.StopReason))
		v.lookInside(m.Content)
	case format.RoleToolResult:
		v.callID, _ = jsonl.String(m.ToolCallID)
		v.tool, _ = jsonl.String(m.ToolName)
	case format.RoleBashExecution, format.RolePythonExecution, format.RoleCustom:
		v.excluded = flag(raw, "excludeFromContext")
	}
	return v
}

func (v *view) lookInside(content []byte) {
	if s, ok := jsonl.String(content); ok {
		v.spoken = strings.TrimSpace(s) != ""
		return
	}
	for raw := range jsonl.Elements(content) {
		b := lookAtBlock(raw)
		v.blocks = append(v.blocks, b)
		v.spoken = v.spoken || b.kind == blockSpoken
	}
}

// known reports whether pith supports the role.
func (v *view) known() bool {
	switch v.role {
	case format.RoleSystem, format.RoleUser, format.RoleAssistant, format.RoleToolResult,
		format.RoleBashExecution, format.RoleCustom, format.RoleBranchSummary, format.RoleCompactionSummary,
		format.RolePythonExecution, format.RoleFileMention:
		return true
	}
	return false
}

// failed reports whether the provider or the user ended the response.
func (v *view) failed() bool { return v.stop == "error" || v.stop == "aborted" }

// truncated reports whether a response was cut off at the token limit, possibly
// within the arguments of a call.
func (v *view) truncated() bool { return v.stop == "length" }

// A blockKind classifies a block of an assistant's content.
type blockKind uint8

const (
	blockEmpty    blockKind = iota // blank text, or not a block at all
	blockSpoken                    // content: text, or a type that pith does not know
	blockThinking                  // providers reject a message with nothing else
	blockCall
)

// A block is one block of an assistant's content.
type block struct {
	raw      []byte
	id, name string // of a call
	kind     blockKind
}

// complete reports whether a call can have a result.
func (b *block) complete() bool { return b.id != "" && b.name != "" }

func lookAtBlock(raw []byte) block {
	b := block{raw: raw}
	members, _ := journal.ReadBlock(raw)
	switch kind := string(jsonl.TextOf(members.Type)); kind {
	case "":
	case "toolCall":
		b.kind = blockCall
		b.id, _ = jsonl.String(members.ID)
		b.name, _ = jsonl.String(members.Name)
	case "thinking":
		b.kind = blockThinking
	case "text":
		if s, _ := jsonl.String(members.Text); strings.TrimSpace(s) != "" {
			b.kind = blockSpoken
		}
	default:
		b.kind = blockSpoken
	}
	return b
}
