package format

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Content is the content of a message: a string or a list of blocks. null,
// missing content and a value of another type read as empty, for every role
// (F42).
type Content struct {
	// Text is the string if IsText is set.
	Text   string
	IsText bool
	// Blocks is the list otherwise.
	Blocks []Block
	// Raw is the value as decoded, nil for one made in memory.
	Raw json.RawMessage
}

// TextContent returns content that is one string.
func TextContent(s string) Content { return Content{Text: s, IsText: true} }

// BlockContent returns content that is a list of blocks. Decoded blocks keep
// their bytes.
func BlockContent(blocks ...Block) Content { return Content{Blocks: blocks} }

// Joined returns the concatenated text of the content.
func (c Content) Joined() string { return c.joined("") }

// PlainText returns the string, or the text blocks joined by a space, as pi
// shows content in its session list.
func (c Content) PlainText() string { return c.joined(" ") }

func (c Content) joined(separator string) string {
	if c.IsText {
		return c.Text
	}
	var texts []string
	for _, b := range c.Blocks {
		if t, ok := b.(*TextBlock); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, separator)
}

// listed returns the content as a list of blocks. pi reads the content of
// responses and tool results as a list, and fails on a string.
func (c Content) listed() Content {
	switch {
	case !c.IsText:
		return c
	case c.Text == "":
		return BlockContent()
	}
	return BlockContent(&TextBlock{Text: c.Text})
}

// IsContent reports whether raw is content that every program can read: a
// string or a list of objects.
func IsContent(raw []byte) bool {
	switch jsonl.KindOf(raw) {
	case '"':
		return true
	case '[':
		for block := range jsonl.Elements(raw) {
			if jsonl.KindOf(block) != '{' {
				return false
			}
		}
		return true
	}
	return false
}

// AppendContent appends content on one line: a string or a list or, for
// unchanged decoded content, its bytes.
func AppendContent(dst []byte, c Content) []byte {
	switch {
	case jsonl.Valid(c.Raw) && sameContent(c.Raw, c):
		return appendKept(dst, c.Raw)
	case c.IsText:
		return jsonl.AppendString(dst, c.Text)
	}
	dst = append(dst, '[')
	for i, b := range c.Blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendBlock(dst, b)
	}
	return append(dst, ']')
}

// sameContent reports whether the member raw, which may be missing, equals c.
func sameContent(raw []byte, c Content) bool {
	switch jsonl.KindOf(raw) {
	case '"':
		return c.IsText && sameText(raw, c.Text)
	case '[':
		if c.IsText {
			return false
		}
		n := 0
		for element := range jsonl.Elements(raw) {
			if n == len(c.Blocks) || !bytes.Equal(element, c.Blocks[n].JSON()) {
				return false
			}
			n++
		}
		return n == len(c.Blocks)
	}
	return !c.IsText && len(c.Blocks) == 0
}

// DecodeContent reads a content value. raw must be valid JSON or empty.
func DecodeContent(raw []byte) Content {
	c := Content{Raw: clip(raw)}
	switch jsonl.KindOf(raw) {
	case '"':
		c.Text, c.IsText = asString(raw), true
	case '[':
		for element := range jsonl.Elements(raw) {
			c.Blocks = append(c.Blocks, decodeBlock(element))
		}
	}
	return c
}
