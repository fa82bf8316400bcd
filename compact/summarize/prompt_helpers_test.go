package summarize_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
)

// promptOf is a prompt for messages, given as JSON.
func promptOf(t testing.TB, part compact.Part, messages ...string) compact.Prompt {
	t.Helper()
	all := func(yield func(pith.ContextMessage, error) bool) {
		for _, m := range messages {
			if !yield(pith.ContextMessage{Raw: json.RawMessage(m)}, nil) {
				return
			}
		}
	}
	text, err := compact.Serialize(all)
	if err != nil {
		t.Fatal(err)
	}
	return compact.Prompt{Part: part, Messages: all, Conversation: text}
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func user(text string) string { return `{"role":"user","content":` + quote(text) + `}` }

// answer is what an assistant says, with calls that callOf makes.
func answer(text string, calls ...string) string {
	stop := "stop"
	blocks := []string{`{"type":"text","text":` + quote(text) + `}`}
	if len(calls) > 0 {
		stop = "toolUse"
	}
	return `{"role":"assistant","content":[` + strings.Join(append(blocks, calls...), ",") + `],"stopReason":"` + stop + `"}`
}

// callOf is a call whose id is the name of the tool and its number.
func callOf(id, tool, arguments string) string {
	return `{"type":"toolCall","id":"` + id + `","name":"` + tool + `","arguments":` + arguments + `}`
}

func result(id, text string) string {
	return `{"role":"toolResult","toolCallId":"` + id + `","content":[{"type":"text","text":` + quote(text) + `}],"isError":false}`
}

func failure(id, text string) string { return strings.Replace(result(id, text), "false", "true", 1) }

// headings returns the headings of a text, in order.
func headings(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(out, ", ")
}

func validJSON(s string) bool { return json.Valid([]byte(s)) }
