package outline

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A Filter selects the entries that are shown.
type Filter string

// The filters, in cycling order.
const (
	Default     Filter = "default"
	NoTools     Filter = "no-tools"
	UserOnly    Filter = "user-only"
	LabeledOnly Filter = "labeled-only"
	All         Filter = "all"
)

// Filters contains all filters.
var Filters = []Filter{Default, NoTools, UserOnly, LabeledOnly, All}

// Keeps reports whether an entry passes the filter. Accounting entries never do.
func (f Filter) Keeps(e *pith.Envelope) bool {
	if e.Type == format.TypeUsage {
		return false
	}
	switch f {
	case UserOnly:
		return e.Type == format.TypeMessage && e.Role == format.RoleUser
	case LabeledOnly:
		return e.Label != ""
	case All:
		return true
	case NoTools:
		return !bookkeeping(e.Type) && e.Role != format.RoleToolResult
	}
	return !bookkeeping(e.Type)
}

// bookkeeping reports whether entries of a type describe the session and are
// not part of the conversation.
func bookkeeping(t format.Type) bool {
	switch t {
	case format.TypeLabel, format.TypeContextEdit, format.TypeCustom, format.TypeModelChange,
		format.TypeThinkingLevelChange, format.TypeSessionInfo:
		return true
	}
	return false
}
