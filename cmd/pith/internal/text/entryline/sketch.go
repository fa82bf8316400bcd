package entryline

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Sketch is what the line of an entry tells by itself. The result of a tool is
// told by its call, which stands in a line before it: [Teller.Place] makes a gist
// of a sketch.
type Sketch struct {
	gist   Gist
	Silent bool // as the function Silent says
	Failed bool // the result of a tool that reports an error

	calls  []toldCall
	result *madeResult // of a tool
}

// madeResult says which call a result is of, and which tool it came from.
type madeResult struct{ call, tool string }

type toldCall struct{ id, gist string }

var (
	entryKeys   = jsonl.NewKeys("type", "message")
	messageKeys = jsonl.NewKeys("role", "content", "stopReason", "errorMessage", "toolCallId", "toolName", "isError")
	blockKeys   = jsonl.NewKeys("type", "text", "id", "name", "arguments")
)

// members are the values of an object that keys look for, in their order; ok is
// false for anything but a valid object.
func members(keys *jsonl.Keys, object []byte) (values [8][]byte, ok bool) {
	var spans [8]jsonl.Span
	shape, _ := keys.Scan(object, spans[:])
	for i := range spans {
		values[i] = spans[i].Of(object)
	}
	return values, shape == jsonl.Object
}

// messageOf are the values of a line's message that messageKeys look for.
func messageOf(line []byte) (values [8][]byte, ok bool) {
	if msg := envelope.UsualMessage(line); msg != nil {
		if values, ok = members(messageKeys, msg); ok {
			return values, true
		}
	}
	entry, ok := members(entryKeys, line)
	if !ok || !is(entry[0], string(format.TypeMessage)) {
		return values, false
	}
	return members(messageKeys, entry[1])
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

// Sketch tells a line, of which no more is decoded than a gist shows. Of one Teller
// several goroutines may ask for sketches at once.
func (t *Teller) Sketch(line []byte) (Sketch, error) {
	if m, ok := messageOf(line); ok {
		if s, ok := t.sketch(m); ok {
			return s, nil
		}
	}
	s, _, err := t.decoded(line)
	return s, err
}

// SketchAndSearch is Sketch, together with what [Search] says.
func (t *Teller) SketchAndSearch(line []byte) (Sketch, string, error) {
	if m, ok := messageOf(line); ok {
		if s, ok := t.sketch(m); ok {
			return s, strings.ToLower(word(m[0]) + " " + beginning(start(m[1]))), nil
		}
	}
	s, e, err := t.decoded(line)
	if err != nil {
		return s, "", err
	}
	return s, Search(e), nil
}

// sketch tells a message by its values, as messageOf gives them; ok is false for
// a role that is seldom.
func (t *Teller) sketch(m [8][]byte) (_ Sketch, ok bool) {
	switch {
	case is(m[0], string(format.RoleUser)):
		text := openingOf(m[1], nil)
		return Sketch{gist: t.message(&format.User{Content: format.TextContent(text)})}, true
	case is(m[0], string(format.RoleAssistant)):
		return t.answer(m[1], m[2], m[3]), true
	case is(m[0], string(format.RoleToolResult)):
		failed, _ := jsonl.Bool(m[6])
		return Sketch{Failed: failed, result: &madeResult{word(m[4]), opening(m[5])}}, true
	}
	return Sketch{}, false
}

// decoded is the sketch of a line that must be decoded, and its entry.
func (t *Teller) decoded(line []byte) (Sketch, format.Entry, error) {
	e, err := format.DecodeEntry(line)
	if err != nil {
		return Sketch{}, nil, err
	}
	return Sketch{gist: (&Teller{path: t.path}).Of(e), Silent: Silent(e)}, e, nil
}

func (t *Teller) answer(content, stopReason, errorMessage []byte) Sketch {
	var s Sketch
	text := openingOf(content, func(c *format.ToolCallBlock) {
		s.calls = append(s.calls, toldCall{c.ID, callGist(c, t.path)})
	})
	m := &format.Assistant{Content: format.TextContent(text), StopReason: word(stopReason), ErrorMessage: opening(errorMessage)}
	s.gist, s.Silent = assistantGist(m), silent(m)
	return s
}

// Place is the gist of a sketch among those before it: sketches must come in the
// order of their lines.
func (t *Teller) Place(s *Sketch) Gist {
	for _, c := range s.calls {
		t.calls[c.id] = c.gist
	}
	if s.result == nil {
		return s.gist
	}
	return t.resultOf(s.result.call, s.result.tool)
}

// openingOf is how the text of content begins. Calls of tools that have an id are
// handed on; they share the memory of the content.
func openingOf(content []byte, call func(*format.ToolCallBlock)) string {
	if jsonl.KindOf(content) != '[' {
		return opening(content)
	}
	text := ""
	for raw := range jsonl.Elements(content) {
		block, _ := members(blockKeys, raw)
		switch {
		case is(block[0], "text"):
			if strings.TrimSpace(text) == "" {
				text = "" // a gist does not begin with blanks
			}
			if len(text) < mostRead {
				text += opening(block[1])
			}
		case is(block[0], "toolCall"):
			if id := word(block[2]); id != "" && call != nil {
				call(&format.ToolCallBlock{ID: id, Name: opening(block[3]), Arguments: block[4]})
			}
		}
	}
	return text
}

// start is how the joined text of content begins: at least as much as a search
// looks at.
func start(content []byte) string {
	if jsonl.KindOf(content) != '[' {
		return word(firstLiteral(content, mostSearched))
	}
	text := ""
	for raw := range jsonl.Elements(content) {
		if block, _ := members(blockKeys, raw); is(block[0], "text") {
			text += word(firstLiteral(block[1], mostSearched))
		}
		if len(text) >= mostSearched/2 {
			break
		}
	}
	return text
}

const (
	// mostRead is how much of one text is decoded for a gist, which shows far less.
	mostRead = 16 << 10
	// mostSearched is how much of one is decoded for a search. No character takes
	// more bytes of a file than two escapes.
	mostSearched = searchable * len(`\ud83d\ude00`) * 2
)

// opening decodes how a string literal begins: all of a short one, and of a longer
// one enough to see something. Anything else is "".
func opening(raw []byte) string {
	if s := word(firstLiteral(raw, mostRead)); strings.TrimSpace(s) != "" || len(raw) <= mostRead {
		return s
	}
	return word(raw)
}

// firstLiteral is a literal of the beginning of one that has more than most bytes,
// and anything else as it is. It ends neither in an escape nor in a character.
func firstLiteral(raw []byte, most int) []byte {
	if len(raw) <= most || raw[0] != '"' {
		return raw
	}
	i := 0
	for i < most {
		switch {
		case raw[i] != '\\':
			i++
		case raw[i+1] == 'u':
			i += len(`\u0000`)
		default:
			i += len(`\n`)
		}
	}
	for !utf8.RuneStart(raw[i]) { // the quote at the end is one
		i++
	}
	return append(raw[:i:i], '"')
}
