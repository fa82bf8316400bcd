package compact

import (
	"iter"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A block is one part of a message's content. All but its kind is JSON, nil where
// the block does not have it.
type block struct {
	kind                            string
	text, thinking, name, arguments []byte
}

// blocks yields the blocks of a content list. Content that is no list has none.
func blocks(content []byte) iter.Seq[block] {
	return func(yield func(block) bool) {
		for _, b := range envelope.Blocks(content) {
			if !yield(block{word(b.Type), b.Text, b.Thinking, b.Name, b.Arguments}) {
				return
			}
		}
	}
}

// word is a string member of which there are few values. Only a value that is not
// one of them is decoded.
func word(raw []byte) string {
	if w, ok := words[string(raw)]; ok {
		return w
	}
	return text(raw)
}

// words are the values that nearly every message repeats, by their JSON.
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

// text is the value of a JSON string, or "" when it is missing or something else.
func text(raw []byte) string {
	s, _ := jsonl.String(raw)
	return s
}

// speech is the role of a message, and what it says as JSON.
func speech(raw []byte) (role string, content []byte) {
	m, _ := envelope.ReadMessage(raw)
	return word(m.Role), m.Content
}
