package outline

import "github.com/pith-sessions/pith/format"

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

// Keeps reports whether an entry of a type and a role passes the filter. It calls
// label only if that depends on the label. Accounting entries never pass.
func (f Filter) Keeps(t format.Type, role format.Role, label func() string) bool {
	if t == format.TypeUsage {
		return false
	}
	switch f {
	case UserOnly:
		return t == format.TypeMessage && role == format.RoleUser
	case LabeledOnly:
		return label() != ""
	case All:
		return true
	case NoTools:
		return !bookkeeping(t) && role != format.RoleToolResult
	}
	return !bookkeeping(t)
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
