package outline

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A Filter says which entries are shown.
type Filter string

// The filters, in the order in which they are gone through.
const (
	Default     Filter = "default"
	NoTools     Filter = "no-tools"
	UserOnly    Filter = "user-only"
	LabeledOnly Filter = "labeled-only"
	All         Filter = "all"
)

// Filters are all of them.
var Filters = []Filter{Default, NoTools, UserOnly, LabeledOnly, All}

// Keeps reports whether an entry passes the filter. Accounting never does.
func (f Filter) Keeps(n *pith.Node) bool {
	if n.Type == format.TypeUsage {
		return false
	}
	switch f {
	case UserOnly:
		return n.Type == format.TypeMessage && n.Role == format.RoleUser
	case LabeledOnly:
		return n.Label != ""
	case All:
		return true
	case NoTools:
		return !bookkeeping(n.Type) && n.Role != format.RoleToolResult
	}
	return !bookkeeping(n.Type)
}

// bookkeeping reports whether a type says something about the session and is no
// part of the conversation.
func bookkeeping(t format.Type) bool {
	switch t {
	case format.TypeLabel, format.TypeContextEdit, format.TypeCustom, format.TypeModelChange,
		format.TypeThinkingLevelChange, format.TypeSessionInfo:
		return true
	}
	return false
}
