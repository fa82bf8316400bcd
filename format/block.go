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
	record
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
		return edited(raw, b)
	}
	return AppendBlock(nil, b)
}

// AppendBlock writes a block on one line: its fields in pi's order, or, for a
// decoded block, its bytes with the fields that were changed since set anew.
func AppendBlock(dst []byte, b Block) []byte {
	if raw := b.decoded(); len(raw) > 0 {
		return appendKept(dst, edited(raw, b))
	}
	return appendRecord(dst, b)
}

func decodeBlock(raw []byte) Block {
	if jsonl.KindOf(raw) != '{' {
		return &UnknownBlock{Raw: clip(raw)}
	}
	c := newCodec(reading, raw)
	defer c.release()
	kind, _ := c.last("type")
	keep := kept{clip(raw)}
	var b Block
	switch asWord(kind) {
	case blockText:
		b = &TextBlock{kept: keep}
	case blockThinking:
		b = &ThinkingBlock{kept: keep}
	case blockImage:
		b = &ImageBlock{kept: keep}
	case blockToolCall:
		b = &ToolCallBlock{kept: keep}
	default:
		return &UnknownBlock{Type: asWord(kind), Raw: clip(raw)}
	}
	b.fields(c)
	return b
}

func (b *TextBlock) fields(c *codec) {
	c.fixed("type", blockText)
	field(c, "text", &b.Text, textKind)
	optional(c, "textSignature", &b.TextSignature, textKind)
}

func (b *ThinkingBlock) fields(c *codec) {
	c.fixed("type", blockThinking)
	field(c, "thinking", &b.Thinking, textKind)
	optional(c, "thinkingSignature", &b.ThinkingSignature, textKind)
	optional(c, "redacted", &b.Redacted, boolKind)
}

func (b *ImageBlock) fields(c *codec) {
	c.fixed("type", blockImage)
	field(c, "data", &b.Data, textKind)
	field(c, "mimeType", &b.MimeType, textKind)
}

func (b *ToolCallBlock) fields(c *codec) {
	c.fixed("type", blockToolCall)
	field(c, "id", &b.ID, textKind)
	field(c, "name", &b.Name, textKind)
	field(c, "arguments", &b.Arguments, argumentsKind)
	optional(c, "thoughtSignature", &b.ThoughtSignature, textKind)
	optional(c, "namespace", &b.Namespace, textKind)
}

func (b *UnknownBlock) fields(c *codec) {
	if b.Type != "" {
		c.fixed("type", b.Type)
	}
}
