package entryline

import (
	"strings"

	"github.com/pith-sessions/pith/format"
)

// searchable is the number of characters of a message that a search in a tree
// looks at, as in pi.
const searchable = 200

// Search returns the text that a search in a tree looks at, in lower case: the
// role and the start of the text, or a word for an entry that is not a message.
func Search(e format.Entry) string {
	return strings.ToLower(strings.Join(searchParts(e), " "))
}

func searchParts(e format.Entry) []string {
	switch e := e.(type) {
	case *format.MessageEntry:
		return messageParts(e.Message)
	case *format.CustomMessage:
		return []string{e.CustomType, e.Content.Joined()}
	case *format.Compaction:
		return []string{"compaction"}
	case *format.BranchSummary:
		return []string{"branch summary", e.Summary}
	case *format.SessionInfo:
		return []string{"title", e.Name}
	case *format.ModelChange:
		return []string{"model", e.ModelID}
	case *format.ThinkingLevelChange:
		return []string{"thinking", e.Level}
	case *format.Custom:
		return []string{"custom", e.CustomType}
	case *format.ContextEdit:
		if e.Replacement == nil {
			return []string{"context omit", e.TargetID}
		}
		return []string{"context replace", e.TargetID}
	case *format.Label:
		return []string{"label", e.Label}
	}
	return nil
}

func messageParts(m format.Message) []string {
	if m == nil {
		return nil
	}
	parts := []string{string(m.Role())}
	switch m := m.(type) {
	case *format.User:
		parts = append(parts, beginning(m.Content.Joined()))
	case *format.Assistant:
		parts = append(parts, beginning(m.Content.Joined()))
	case *format.ToolResult:
		parts = append(parts, beginning(m.Content.Joined()))
	case *format.BashExecution:
		parts = append(parts, m.Command)
	case *format.CustomRole:
		parts = append(parts, beginning(m.Content.Joined()))
	}
	return parts
}

func beginning(s string) string {
	n := 0
	for i := range s {
		if n == searchable {
			return s[:i]
		}
		n++
	}
	return s
}

// Copy returns the text that copying an entry gives: the text of a message, a
// command, an error, a summary, or "" if there is nothing to copy.
func Copy(e format.Entry) string {
	switch e := e.(type) {
	case *format.MessageEntry:
		return copyMessage(e.Message)
	case *format.CustomMessage:
		return e.Content.Joined()
	case *format.Compaction:
		return e.Summary
	case *format.BranchSummary:
		return e.Summary
	}
	return ""
}

func copyMessage(m format.Message) string {
	switch m := m.(type) {
	case *format.User:
		return m.Content.Joined()
	case *format.Assistant:
		if text := m.Content.Joined(); strings.TrimSpace(text) != "" {
			return text
		}
		return m.ErrorMessage
	case *format.ToolResult:
		return m.Content.Joined()
	case *format.BashExecution:
		return m.Command
	case *format.CustomRole:
		return m.Content.Joined()
	}
	return ""
}
