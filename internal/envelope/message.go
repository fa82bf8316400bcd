package envelope

import "github.com/pith-sessions/pith/internal/jsonl"

// A Message is where the members of a message lie that tell who spoke, what was
// called and what it took. Each is a raw value, or nil when it is not there. The
// members are those of the message's role: a result of a tool has no usage.
type Message struct {
	Role, Content                                    []byte
	Provider, Model, Usage, StopReason, ErrorMessage []byte // of an answer
	ToolCallID, ToolName, IsError                    []byte // of a result
}

var (
	answerMembers = jsonl.NewKeys("role", "content", "provider", "model", "usage", "stopReason", "errorMessage")
	resultMembers = jsonl.NewKeys("role", "toolCallId", "toolName", "content", "isError")
	blockMembers  = jsonl.NewKeys("type", "text", "id", "name", "arguments")
)

// ReadMessage reads a raw message in one scan, without decoding what it says. ok
// is false for anything but a valid object.
func ReadMessage(msg []byte) (m Message, ok bool) {
	var in [7]jsonl.Span
	if string(RoleName(msg)) == string(RoleToolResult.Name()) {
		shape, _ := resultMembers.Scan(msg, in[:])
		return Message{
			Role: in[0].Of(msg), ToolCallID: in[1].Of(msg), ToolName: in[2].Of(msg), Content: in[3].Of(msg), IsError: in[4].Of(msg),
		}, shape == jsonl.Object
	}
	shape, _ := answerMembers.Scan(msg, in[:])
	return Message{
		Role: in[0].Of(msg), Content: in[1].Of(msg), Provider: in[2].Of(msg), Model: in[3].Of(msg),
		Usage: in[4].Of(msg), StopReason: in[5].Of(msg), ErrorMessage: in[6].Of(msg),
	}, shape == jsonl.Object
}

// MessageOf reads the message of a line. ok is false for a line that is no
// message, and for a message that is no object.
func MessageOf(line []byte) (m Message, ok bool) {
	if msg := UsualMessage(line); msg != nil {
		if m, ok = ReadMessage(msg); ok {
			return m, true
		}
	}
	if jsonl.KindOf(line) != '{' || !jsonl.Valid(line) || jsonl.LookupString(line, "type") != string(KindMessage.Type()) {
		return Message{}, false
	}
	raw, _ := jsonl.Lookup(line, "message")
	return ReadMessage(raw)
}

// A Block is where the members of a block of content lie that tell what it says
// or calls.
type Block struct{ Type, Text, ID, Name, Arguments []byte }

// ReadBlock reads a raw block; ok is false for anything but a valid object.
func ReadBlock(raw []byte) (b Block, ok bool) {
	var in [5]jsonl.Span
	shape, _ := blockMembers.Scan(raw, in[:])
	return Block{in[0].Of(raw), in[1].Of(raw), in[2].Of(raw), in[3].Of(raw), in[4].Of(raw)}, shape == jsonl.Object
}
