package entryline

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

const (
	// mostRead is how much of one text is decoded; a line shows far less.
	mostRead = 16 << 10
	// mostSearched is how much is decoded of one that is only searched. No
	// character takes more bytes of a file than two escapes.
	mostSearched = searchable * len(`\ud83d\ude00`) * 2
)

// shortened decodes a line, but of the messages that make up nearly all of a file
// only what is described, and of long texts only the beginning.
func shortened(line []byte) (format.Entry, error) {
	m, ok := envelope.MessageOf(line)
	if !ok {
		return format.DecodeEntry(line)
	}
	var message format.Message
	switch {
	case is(m.Role, string(format.RoleUser)):
		message = &format.User{Content: shortContent(m.Content, mostRead)}
	case is(m.Role, string(format.RoleAssistant)):
		message = &format.Assistant{
			Content: shortContent(m.Content, mostRead), StopReason: word(m.StopReason), ErrorMessage: beginningOf(m.ErrorMessage, mostRead),
		}
	case is(m.Role, string(format.RoleToolResult)):
		failed, _ := jsonl.Bool(m.IsError)
		message = &format.ToolResult{
			Content: shortContent(m.Content, mostSearched), ToolCallID: word(m.ToolCallID), ToolName: beginningOf(m.ToolName, mostRead), IsError: failed,
		}
	default:
		return format.DecodeEntry(line)
	}
	return &format.MessageEntry{Message: message}, nil
}

// shortContent is content with its texts, together not much longer than most, and
// its tool calls, which share the memory of the content.
func shortContent(content []byte, most int) format.Content {
	if jsonl.KindOf(content) != '[' {
		return format.TextContent(beginningOf(content, most))
	}
	var blocks []format.Block
	left := most
	for raw := range jsonl.Elements(content) {
		block, _ := envelope.ReadBlock(raw)
		switch {
		case is(block.Type, "text") && left > 0:
			text := beginningOf(block.Text, most)
			if strings.TrimSpace(text) != "" {
				left -= len(text)
			}
			blocks = append(blocks, &format.TextBlock{Text: text})
		case is(block.Type, "toolCall"):
			blocks = append(blocks, &format.ToolCallBlock{ID: word(block.ID), Name: beginningOf(block.Name, mostRead), Arguments: block.Arguments})
		}
	}
	return format.BlockContent(blocks...)
}

// word is the value of a string literal, and "" for anything else.
func word(raw []byte) string {
	s, _ := jsonl.String(raw)
	return s
}

// is reports whether a string literal has a value.
func is(raw []byte, value string) bool {
	if n := len(raw); n == len(value)+2 && string(raw[1:n-1]) == value {
		return raw[0] == '"'
	}
	return bytes.IndexByte(raw, '\\') >= 0 && word(raw) == value
}

// beginningOf decodes how a string literal begins: all of a short one, and of a
// longer one enough to see something. Anything else is "".
func beginningOf(raw []byte, most int) string {
	if len(raw) <= most || raw[0] != '"' {
		return word(raw)
	}
	end := 0
	for end < most { // neither in an escape nor, below, in a character
		switch {
		case raw[end] != '\\':
			end++
		case raw[end+1] == 'u':
			end += len(`\u0000`)
		default:
			end += len(`\n`)
		}
	}
	for !utf8.RuneStart(raw[end]) { // the quote at the end is one
		end++
	}
	if s := word(append(raw[:end:end], '"')); strings.TrimSpace(s) != "" {
		return s
	}
	return word(raw)
}
