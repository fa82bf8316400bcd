package inspect

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// eachText calls say with every searchable text of an entry.
func eachText(e format.Entry, say func(string)) {
	switch e := e.(type) {
	case *format.MessageEntry:
		eachTextOfMessage(e.Message, say)
	case *format.CustomMessage:
		say(e.CustomType)
		eachTextOfContent(e.Content, say)
	case *format.Compaction:
		say(e.Summary)
	case *format.BranchSummary:
		say(e.Summary)
	case *format.ContextEdit:
		if e.Replacement != nil {
			eachTextOfContent(*e.Replacement, say)
		}
	case *format.ModelChange:
		say(format.ModelName(e.Provider, e.ModelID))
	case *format.SessionInfo:
		say(e.Name)
	case *format.Label:
		say(e.Label)
	}
}

func eachTextOfMessage(m format.Message, say func(string)) {
	switch m := m.(type) {
	case *format.User:
		eachTextOfContent(m.Content, say)
	case *format.Assistant:
		eachTextOfContent(m.Content, say)
		say(m.ErrorMessage)
	case *format.ToolResult:
		eachTextOfContent(m.Content, say)
	case *format.BashExecution:
		say(m.Command)
		say(m.Output)
	case *format.CustomRole:
		say(m.CustomType)
		eachTextOfContent(m.Content, say)
	case *format.System:
		eachTextOfContent(m.Content, say)
	case *format.BranchSummaryMessage:
		say(m.Summary)
	case *format.CompactionSummaryMessage:
		say(m.Summary)
	case *format.UnknownMessage:
		say(m.DisplayText())
		eachTextOfContent(m.Content, say)
	}
}

func eachTextOfContent(c format.Content, say func(string)) {
	if c.IsText {
		say(c.Text)
		return
	}
	for _, b := range c.Blocks {
		switch b := b.(type) {
		case *format.TextBlock:
			say(b.Text)
		case *format.ThinkingBlock:
			say(b.Thinking)
		case *format.ToolCallBlock:
			say(b.Name)
			eachTextOfArguments(b.Arguments, say)
		}
	}
}

// eachTextOfArguments calls say with the strings in a call's arguments, and
// with other values as written.
func eachTextOfArguments(raw []byte, say func(string)) {
	if jsonl.KindOf(raw) != '{' {
		say(string(raw))
		return
	}
	for _, value := range jsonl.Members(raw) {
		if s, ok := jsonl.String(value); ok {
			say(s)
		} else {
			say(string(value))
		}
	}
}
