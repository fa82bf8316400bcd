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

// glimpse takes the messages that make up nearly all of a file by their raw
// members; ok is false for any other. Of a long text only the beginning is decoded.
func (d *Describer) glimpse(m *envelope.Message) (b Brief, ok bool) {
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

// mostCalled is how long the id of a call and the name of a tool are together at most,
// where usualResult finds them.
const mostCalled = 512

// usualResult is which call of which tool a raw message is the result of, where it
// begins as pi and its relatives begin it. A member that came twice, as no program
// writes it, would count as the first says.
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

// plain reports whether the inside of a string literal is its value: ASCII without
// escapes.
func plain(b []byte) bool {
	for _, c := range b {
		if c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// textOf is how the joined text of content begins: not much longer than most. Tool
// calls are handed on; they share the memory of the content.
func textOf(content []byte, most int, call func(*format.ToolCallBlock)) string {
	if jsonl.KindOf(content) != '[' {
		return beginningOf(content, most)
	}
	var texts []string
	left := most
	for raw := range jsonl.Elements(content) {
		block, _ := envelope.ReadBlock(raw)
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

// glanced is how many bytes of a text a glance takes. Mostly that is enough.
const glanced = 2 * mostCells

// glance decodes a few bytes of a long string literal. It is enough when a line, or
// a search, shows no more: letters that take a cell each, and fill it.
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

// prefix decodes the first bytes of a string literal that is longer.
func prefix(raw []byte, most int) string {
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
	return word(append(raw[:end:end], '"'))
}
