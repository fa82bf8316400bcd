package format

import (
	"encoding/json"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Block is one part of a message's content: a *[TextBlock], *[ThinkingBlock],
// *[ImageBlock], *[ToolCallBlock] or *[UnknownBlock]. A decoded block keeps its
// bytes, including fields unknown to this package.
type Block interface {
	// JSON returns the block as JSON: the decoded bytes with later changes, or
	// a new encoding for a block made in memory.
	JSON() json.RawMessage

	decodable
}

// A decodable is a record that keeps the bytes it was decoded from.
type decodable interface {
	decoded() json.RawMessage
	record
}

// kept holds the bytes that a message or a block was decoded from.
type kept struct{ raw json.RawMessage }

func (k *kept) decoded() json.RawMessage { return k.raw }

// The block types.
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

// A ThinkingBlock is the reasoning of a model.
type ThinkingBlock struct {
	kept
	Thinking          string
	ThinkingSignature string
	// Redacted means that the provider encrypted the reasoning in the
	// signature.
	Redacted bool
}

// An ImageBlock is an image.
type ImageBlock struct {
	kept
	// Data is base64 or, in oh-my-pi files, a reference such as
	// "blob:sha256:...".
	Data     string
	MimeType string
}

// A ToolCallBlock is a model's request to run a tool.
type ToolCallBlock struct {
	kept
	ID               string
	Name             string
	Arguments        json.RawMessage
	ThoughtSignature string
	Namespace        string
}

// An UnknownBlock is a block of a type unknown to this package, or an element
// of a content list that is not an object; then Type is empty.
type UnknownBlock struct {
	Type string
	Raw  json.RawMessage
}

func (b *UnknownBlock) decoded() json.RawMessage { return b.Raw }

// JSON implementations.

func (b *TextBlock) JSON() json.RawMessage     { return encoded(b) }
func (b *ThinkingBlock) JSON() json.RawMessage { return encoded(b) }
func (b *ImageBlock) JSON() json.RawMessage    { return encoded(b) }
func (b *ToolCallBlock) JSON() json.RawMessage { return encoded(b) }
func (b *UnknownBlock) JSON() json.RawMessage  { return encoded(b) }

// encoded returns the decoded bytes with later changes, or a new encoding.
func encoded(d decodable) json.RawMessage {
	if raw := d.decoded(); len(raw) > 0 {
		return edited(raw, d)
	}
	return appendRecord(nil, d)
}

// appendEncoded appends encoded on one line.
func appendEncoded(dst []byte, d decodable) []byte {
	if raw := d.decoded(); len(raw) > 0 {
		return appendKept(dst, edited(raw, d))
	}
	return appendRecord(dst, d)
}

// AppendBlock appends a block on one line: its fields in pi's order or, for a
// decoded block, its bytes with the fields that changed since.
func AppendBlock(dst []byte, b Block) []byte { return appendEncoded(dst, b) }

func decodeBlock(raw []byte) Block {
	if jsonl.KindOf(raw) != '{' {
		return &UnknownBlock{Raw: clip(raw)}
	}
	c := newCodec(reading, raw)
	defer c.release()
	kind := asWord(c.last("type"))
	keep := kept{clip(raw)}
	var b Block
	switch kind {
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
