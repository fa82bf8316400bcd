package entryline

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

const (
	// mostRead is the number of bytes of one text that are decoded; a line
	// shows far fewer.
	mostRead = 16 << 10
	// mostSearched is the number of bytes that are decoded of a text that is
	// only searched. No character takes more bytes than two escapes.
	mostSearched = searchable * len(`\ud83d\ude00`) * 2
)

// glimpse describes the messages that make up nearly all of a file by their raw
// members; ok is false for any other. Only the start of a long text is decoded.
func (d *Describer) glimpse(m *journal.Message) (b Brief, ok bool) {
	switch {
	case is(m.Role, string(format.RoleUser)):
		b.line = userLine(textOf(m.Content, mostRead, nil))
	case is(m.Role, string(format.RoleAssistant)):
		text := textOf(m.Content, mostRead, func(c *format.ToolCallBlock) { b.take(d, c) })
		b.answer(text, word(m.StopReason), beginningOf(m.ErrorMessage, mostRead))
	case is(m.Role, string(format.RoleToolResult)):
		b.result = &result{word(m.ToolCallID), beginningOf(m.ToolName, mostRead)}
		b.Failed, _ = jsonl.Bool(m.IsError)
	default:
		return b, false
	}
	return b, true
}

// mostCalled is the maximum length of a call id and a tool name together that
// usualResult finds.
const mostCalled = 512

// usualResult returns the call and the tool of a raw tool result that starts as
// pi-compatible agents write it. If a member occurs twice, which no program
// writes, the first one counts.
func usualResult(msg []byte) (call, tool string, ok bool) {
	rest, ok := bytes.CutPrefix(msg, []byte(`{"role":"toolResult","toolCallId":"`))
	if !ok {
		return "", "", false
	}
	rest = rest[:min(len(rest), mostCalled)]
	id, rest, named := bytes.Cut(rest, []byte(`","toolName":"`))
	name, _, ended := bytes.Cut(rest, []byte(`"`))
	if !named || !ended || !plain(id) || !plain(name) {
		return "", "", false
	}
	return string(id), string(name), true
}

// plain reports whether the inside of a string literal is its value: ASCII
// without escapes.
func plain(b []byte) bool {
	for _, c := range b {
		if c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// textOf returns the start of the joined text of content, not much longer than
// most. It passes tool calls to call; they share the memory of the content.
func textOf(content []byte, most int, call func(*format.ToolCallBlock)) string {
	if jsonl.KindOf(content) != '[' {
		return beginningOf(content, most)
	}
	var texts []string
	left := most
	for raw := range jsonl.Elements(content) {
		block, _ := journal.ReadBlock(raw)
		switch {
		case is(block.Type, "text") && left > 0:
			text := beginningOf(block.Text, most)
			if strings.TrimSpace(text) != "" {
				left -= len(text)
			}
			texts = append(texts, text)
		case is(block.Type, "toolCall") && call != nil:
			call(&format.ToolCallBlock{ID: word(block.ID), Name: beginningOf(block.Name, mostRead), Arguments: block.Arguments})
		}
	}
	return strings.Join(texts, "")
}

// word returns the value of a string literal, or "" for anything else.
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

// beginningOf decodes the start of a string literal: all of a short one, and
// enough of a longer one to show something. It returns "" for anything else.
func beginningOf(raw []byte, most int) string {
	if s, enough := glance(raw); enough {
		return s
	}
	if len(raw) <= most || raw[0] != '"' {
		return word(raw)
	}
	if s := prefix(raw, most); strings.TrimSpace(s) != "" {
		return s
	}
	return word(raw)
}

// glanced is the number of bytes that glance decodes, which is usually enough.
const glanced = 2 * mostCells

// glance decodes a few bytes of a long string literal. enough is set if a line
// or a search shows no more: one-cell letters that fill it.
func glance(raw []byte) (s string, enough bool) {
	if len(raw) <= 2*glanced || raw[0] != '"' {
		return "", false
	}
	s = prefix(raw, glanced)
	letters := 0
	for i := range len(s) {
		switch c := s[i]; {
		case ' ' < c && c < 0x7f:
			letters++
		case c != ' ' && c != '\n' && c != '\t':
			return "", false
		}
	}
	return s, letters > max(mostCells, searchable)
}

// prefix decodes the first bytes of a longer string literal.
func prefix(raw []byte, most int) string {
	end := 0
	for end < most { // not within an escape or, below, within a character
		switch {
		case raw[end] != '\\':
			end++
		case raw[end+1] == 'u':
			end += len(`\u0000`)
		default:
			end += len(`\n`)
		}
	}
	for !utf8.RuneStart(raw[end]) { // the closing quote is a start too
		end++
	}
	return word(append(raw[:end:end], '"'))
}
