package format

import (
	"encoding/json"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Block is one part of a message's content: a *[TextBlock], *[ThinkingBlock],
// *[ImageBlock], *[ToolCallBlock] or *[UnknownBlock]. A decoded block keeps its
// bytes, and with them the fields that have no name here.
type Block interface {
	// JSON is the block's JSON: as decoded, or encoded anew for one made in memory.
	JSON() json.RawMessage

	decoded() json.RawMessage
	field(name, raw []byte)
	encode(o *object)
}

// kept holds the bytes that a message or a block was decoded from.
type kept struct{ raw json.RawMessage }

func (k *kept) decoded() json.RawMessage { return k.raw }

// The types of blocks.
const (
	blockText     = "text"
	blockThinking = "thinking"
	blockImage    = "image"
	blockToolCall = "toolCall"
)

// A TextBlock is text.
type TextBlock struct {
	kept
	Text          string
	TextSignature string
}

// A ThinkingBlock is what a model thought.
type ThinkingBlock struct {
	kept
	Thinking          string
	ThinkingSignature string
	// Redacted means that the provider gave the thought encrypted, in the signature.
	Redacted bool
}

// An ImageBlock is a picture.
type ImageBlock struct {
	kept
	// Data is base64, or in files of oh-my-pi a reference such as "blob:sha256:...".
	Data     string
	MimeType string
}

// A ToolCallBlock is a model's wish to run a tool.
type ToolCallBlock struct {
	kept
	ID               string
	Name             string
	Arguments        json.RawMessage
	ThoughtSignature string
	Namespace        string
}

// An UnknownBlock is a block of a type that this package does not know, or an
// element of a content list that is no block at all; then Type is empty.
type UnknownBlock struct {
	Type string
	Raw  json.RawMessage
}

func (b *UnknownBlock) decoded() json.RawMessage { return b.Raw }

// JSON implements [Block].
func (b *TextBlock) JSON() json.RawMessage { return blockJSON(b) }

// JSON implements [Block].
func (b *ThinkingBlock) JSON() json.RawMessage { return blockJSON(b) }

// JSON implements [Block].
func (b *ImageBlock) JSON() json.RawMessage { return blockJSON(b) }

// JSON implements [Block].
func (b *ToolCallBlock) JSON() json.RawMessage { return blockJSON(b) }

// JSON implements [Block].
func (b *UnknownBlock) JSON() json.RawMessage { return blockJSON(b) }

func blockJSON(b Block) json.RawMessage {
	if raw := b.decoded(); len(raw) > 0 {
		return raw
	}
	return AppendBlock(nil, b)
}

// AppendBlock writes a block: its bytes as decoded, on one line, or its fields in
// pi's order for one made in memory.
func AppendBlock(dst []byte, b Block) []byte {
	if raw := b.decoded(); len(raw) > 0 {
		return appendKept(dst, raw)
	}
	o := openObject(dst)
	b.encode(&o)
	return o.close()
}

func decodeBlock(raw []byte) Block {
	if jsonl.KindOf(raw) != '{' {
		return &UnknownBlock{Raw: clip(raw)}
	}
	var room [8]member
	members := appendMembers(room[:0], raw)
	var b Block
	keep := kept{clip(raw)}
	switch kind := lastWord(members, "type"); kind {
	case blockText:
		b = &TextBlock{kept: keep}
	case blockThinking:
		b = &ThinkingBlock{kept: keep}
	case blockImage:
		b = &ImageBlock{kept: keep}
	case blockToolCall:
		b = &ToolCallBlock{kept: keep}
	default:
		return &UnknownBlock{Type: kind, Raw: clip(raw)}
	}
	for _, m := range members {
		b.field(m.name, m.raw)
	}
	return b
}

// lastWord is the string value of the last member with that name, one of few.
func lastWord(members []member, name string) string {
	for i := len(members) - 1; i >= 0; i-- {
		if string(members[i].name) == name {
			return asWord(members[i].raw)
		}
	}
	return ""
}

func (b *TextBlock) field(name, raw []byte) {
	switch string(name) {
	case "text":
		b.Text = asString(raw)
	case "textSignature":
		b.TextSignature = asString(raw)
	}
}

func (b *TextBlock) encode(o *object) {
	o.str("type", blockText)
	o.str("text", b.Text)
	o.optStr("textSignature", b.TextSignature)
}

func (b *ThinkingBlock) field(name, raw []byte) {
	switch string(name) {
	case "thinking":
		b.Thinking = asString(raw)
	case "thinkingSignature":
		b.ThinkingSignature = asString(raw)
	case "redacted":
		b.Redacted = asBool(raw)
	}
}

func (b *ThinkingBlock) encode(o *object) {
	o.str("type", blockThinking)
	o.str("thinking", b.Thinking)
	o.optStr("thinkingSignature", b.ThinkingSignature)
	o.optTrue("redacted", b.Redacted)
}

func (b *ImageBlock) field(name, raw []byte) {
	switch string(name) {
	case "data":
		b.Data = asString(raw)
	case "mimeType":
		b.MimeType = asString(raw)
	}
}

func (b *ImageBlock) encode(o *object) {
	o.str("type", blockImage)
	o.str("data", b.Data)
	o.str("mimeType", b.MimeType)
}

func (b *ToolCallBlock) field(name, raw []byte) {
	switch string(name) {
	case "id":
		b.ID = asString(raw)
	case "name":
		b.Name = asString(raw)
	case "arguments":
		b.Arguments = asRaw(raw)
	case "thoughtSignature":
		b.ThoughtSignature = asString(raw)
	case "namespace":
		b.Namespace = asString(raw)
	}
}

func (b *ToolCallBlock) encode(o *object) {
	o.str("type", blockToolCall)
	o.str("id", b.ID)
	o.str("name", b.Name)
	if len(b.Arguments) == 0 {
		o.raw("arguments", json.RawMessage("{}"))
	} else {
		o.raw("arguments", b.Arguments)
	}
	o.optStr("thoughtSignature", b.ThoughtSignature)
	o.optStr("namespace", b.Namespace)
}

func (b *UnknownBlock) field(_, _ []byte) {}

func (b *UnknownBlock) encode(o *object) { o.optStr("type", b.Type) }
