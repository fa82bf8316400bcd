package compact

import (
	"iter"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A block is one part of a message's content. All fields but kind are raw JSON,
// or nil if the block lacks them.
type block struct {
	kind                            string
	text, thinking, name, arguments []byte
}

// blocks yields the blocks of a content list. Content that is not a list yields
// none.
func blocks(content []byte) iter.Seq[block] {
	return func(yield func(block) bool) {
		for _, b := range envelope.Blocks(content) {
			if !yield(block{word(b.Type), b.Text, b.Thinking, b.Name, b.Arguments}) {
				return
			}
		}
	}
}

// word returns a string member that has few possible values. It decodes only
// values that are not in words.
func word(raw []byte) string {
	if w, ok := words[string(raw)]; ok {
		return w
	}
	return text(raw)
}

// words maps raw JSON to the values that nearly every message repeats.
var words = func() map[string]string {
	m := map[string]string{}
	for _, w := range []string{
		"user", "assistant", "toolResult", "bashExecution", "custom", "system", "branchSummary", "compactionSummary",
		"text", "thinking", "toolCall", "image", "stop", "toolUse", "length", "error", "aborted",
	} {
		m[`"`+w+`"`] = w
	}
	return m
}()

// text returns the value of a JSON string, or "" if raw is missing or of
// another type.
func text(raw []byte) string {
	s, _ := jsonl.String(raw)
	return s
}

// speech returns the role and the raw content of a message.
func speech(raw []byte) (role string, content []byte) {
	m, _ := envelope.ReadMessage(raw)
	return word(m.Role), m.Content
}
