package transcript

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
)

// Editable reports whether an entry has content that a context edit can replace.
func Editable(e *envelope.Entry) bool {
	if e.Kind == envelope.KindCustomMessage {
		return true
	}
	if e.Kind != envelope.KindMessage {
		return false
	}
	switch e.Role {
	case envelope.RoleUser, envelope.RoleAssistant, envelope.RoleToolResult:
		return true
	}
	return false
}

// EditContent returns content in the form of a role: assistant messages and
// tool results have blocks, so a string becomes one.
func EditContent(role envelope.Role, c format.Content) format.Content {
	if c.IsText && (role == envelope.RoleAssistant || role == envelope.RoleToolResult) {
		return format.BlockContent(&format.TextBlock{Text: c.Text})
	}
	return c
}
