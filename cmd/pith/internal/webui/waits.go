package webui

import (
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/internal/subagent"
)

// ending collects the end of a conversation from its entries, the last one first: its
// last line, and what the session waits for.
type ending struct {
	line     string
	waits    string // you, the model, a tool or a subagent; "" if unknown
	answered map[string]bool
}

// add adds the entry before those that were added. It reports whether more are needed.
func (x *ending) add(e format.Entry) (more bool) {
	if x.line == "" {
		x.line = lineOf(e)
	}
	if m, ok := e.(*format.MessageEntry); ok && x.waits == "" {
		x.message(m.Message)
	}
	return x.line == "" || x.waits == ""
}

func (x *ending) message(m format.Message) {
	switch m := m.(type) {
	case *format.User:
		x.waits = "the model"
	case *format.ToolResult:
		if x.answered == nil {
			x.answered = map[string]bool{}
		}
		x.answered[m.ToolCallID] = true
	case *format.Assistant:
		x.waits = x.after(m)
	}
}

// after returns what a session waits for after its last response.
func (x *ending) after(m *format.Assistant) string {
	var calls []string
	for _, b := range m.Content.Blocks {
		call, ok := b.(*format.ToolCallBlock)
		if !ok || x.answered[call.ID] {
			continue
		}
		name := page.OneLine(call.Name, 40)
		if subagent.IsTool(call.Name) {
			name = strings.TrimSpace("subagent " + page.OneLine(jsonl.LookupString(call.Arguments, "agent"), 40))
		}
		calls = append(calls, name)
	}
	switch {
	case m.StopReason == "error" || m.StopReason == "aborted":
		return "you"
	case len(calls) > 1:
		return calls[0] + " and " + page.Count(int64(len(calls)-1), "other tool")
	case len(calls) == 1:
		return calls[0]
	case len(x.answered) > 0:
		return "the model"
	}
	return "you"
}
