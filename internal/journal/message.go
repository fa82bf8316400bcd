package journal

import (
	"iter"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Message contains the members of a message that show who spoke, what was
// said and called, and what it consumed. Each is a raw value, or nil if it is
// missing.
type Message struct {
	Role, Content                                                []byte
	Provider, Model, Usage, StopReason, ErrorMessage, ResponseID []byte // of a response
	ToolCallID, ToolName, IsError, Details                       []byte // of a tool result
	Command, Output, Code                                        []byte // of a command that the user ran
	Summary, Files, Timestamp                                    []byte

	speaker Role
}

var (
	messageMembers = jsonl.NewKeys("role", "content", "provider", "model", "usage", "stopReason", "timestamp", "responseId",
		"toolCallId", "toolName", "isError", "details", "command", "output", "code", "summary", "errorMessage", "files")
	blockMembers = jsonl.NewKeys("type", "text", "thinking", "id", "name", "arguments")
)

// ReadMessage reads a raw message in one scan, without decoding its content. ok
// is false for anything but a valid object.
func ReadMessage(msg []byte) (m Message, ok bool) {
	ok = m.read(msg)
	return m, ok
}

// messageMemberCount is the number of spans of a message.
const messageMemberCount = 18

func (m *Message) read(msg []byte) bool {
	var in [messageMemberCount]jsonl.Span
	shape, _ := messageMembers.Scan(msg, in[:])
	m.take(msg, in[:])
	return shape == jsonl.Object
}

// take sets the members that were found in a text.
func (m *Message) take(msg []byte, in []jsonl.Span) {
	m.Role, m.Content, m.Provider, m.Model, m.Usage = in[0].Of(msg), in[1].Of(msg), in[2].Of(msg), in[3].Of(msg), in[4].Of(msg)
	m.StopReason, m.Timestamp, m.ResponseID = in[5].Of(msg), in[6].Of(msg), in[7].Of(msg)
	m.ToolCallID, m.ToolName, m.IsError, m.Details = in[8].Of(msg), in[9].Of(msg), in[10].Of(msg), in[11].Of(msg)
	m.Command, m.Output, m.Code, m.Summary, m.ErrorMessage, m.Files = in[12].Of(msg), in[13].Of(msg), in[14].Of(msg), in[15].Of(msg), in[16].Of(msg), in[17].Of(msg)
	m.speaker = roleOf(jsonl.TextOf(m.Role))
}

// Conversation reports whether the message is one of the user or the assistant.
func (m *Message) Conversation() bool { return m.speaker.speaks() }

// Speaker returns the role of the message.
func (m *Message) Speaker() Role { return m.speaker }

// MessageOf reads the message of a line. It has no members if the line is not a
// message, or the message not an object.
func MessageOf(line []byte) Message {
	var r Record
	if !r.Read(line) || r.kind != KindMessage || r.Message() == nil {
		return Message{}
	}
	return r.parts
}

// A Block contains the relevant members of a content block.
type Block struct{ Type, Text, Thinking, ID, Name, Arguments []byte }

// ReadBlock reads a raw block; ok is false for anything but a valid object.
func ReadBlock(raw []byte) (b Block, ok bool) {
	var in [6]jsonl.Span
	shape, _ := blockMembers.Scan(raw, in[:])
	return Block{in[0].Of(raw), in[1].Of(raw), in[2].Of(raw), in[3].Of(raw), in[4].Of(raw), in[5].Of(raw)}, shape == jsonl.Object
}

// Blocks yields the blocks of raw content that is a list, each with its raw
// value. Elements that are not objects are skipped.
func Blocks(content []byte) iter.Seq2[[]byte, Block] {
	return func(yield func([]byte, Block) bool) {
		for raw := range jsonl.Elements(content) {
			if b, ok := ReadBlock(raw); ok && !yield(raw, b) {
				return
			}
		}
	}
}
