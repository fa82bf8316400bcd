package journal

import "github.com/pith-sessions/pith/format"

// Flags are facts about an entry that its kind does not show.
type Flags uint8

const (
	// IsLeafMarker is set for a custom entry of type [format.LeafCustomType].
	IsLeafMarker Flags = 1 << iota
	// IsVerbatim is set for a compaction whose summary consists of lines of the
	// conversation, as Atomic writes them.
	IsVerbatim
	// IsContextNotes is set for a custom entry of type [format.ContextNotesType].
	IsContextNotes
	// IsExit is set for a custom entry of type [format.SessionExitType].
	IsExit
	// IsEmpty is set for a message whose content is missing or null.
	IsEmpty
)

// Kind is the type of an entry as a small number.
type Kind uint8

// The kinds that pith knows. Any other type is KindUnknown and is preserved.
const (
	KindUnknown Kind = iota
	KindMessage
	KindModelChange
	KindThinkingLevelChange
	KindCompaction
	KindBranchSummary
	KindCustom
	KindCustomMessage
	KindLabel
	KindSessionInfo
	KindUsage
	KindContextEdit
	// KindForeignNote is bookkeeping of other programs: titles, summaries for
	// lists, accounting. It is never part of a conversation.
	KindForeignNote
	// KindResetBoundary is oh-my-pi's /clear: the context starts again after
	// it.
	KindResetBoundary
	// KindReset is OpenClaw's reset: the same, but it may keep earlier entries
	// from some entry on.
	KindReset
	// KindLeafRecord is OpenClaw's record of the leaf of the session. Its
	// target counts as its parent.
	KindLeafRecord
	kindCount
)

var kindTypes = [kindCount]format.Type{
	KindMessage:             format.TypeMessage,
	KindModelChange:         format.TypeModelChange,
	KindThinkingLevelChange: format.TypeThinkingLevelChange,
	KindCompaction:          format.TypeCompaction,
	KindBranchSummary:       format.TypeBranchSummary,
	KindCustom:              format.TypeCustom,
	KindCustomMessage:       format.TypeCustomMessage,
	KindLabel:               format.TypeLabel,
	KindSessionInfo:         format.TypeSessionInfo,
	KindUsage:               format.TypeUsage,
	KindContextEdit:         format.TypeContextEdit,
	KindResetBoundary:       format.TypeResetBoundary,
	KindReset:               format.TypeReset,
	KindLeafRecord:          format.TypeLeaf,
}

func kindOf(typ []byte) Kind {
	switch format.Type(typ) {
	case format.TypeMessage: // nearly all
		return KindMessage
	case format.TypeCustom:
		return KindCustom
	case format.TypeCustomMessage:
		return KindCustomMessage
	}
	for k, t := range kindTypes {
		if string(t) == string(typ) && t != "" {
			return Kind(k)
		}
	}
	if format.Bookkeeping(format.Type(typ), "") {
		return KindForeignNote
	}
	return KindUnknown
}

// Type returns the kind's name in the file, or "" for a kind that represents
// several types.
func (k Kind) Type() format.Type { return kindTypes[k] }

// Resets reports whether contexts start again after entries of the kind.
func (k Kind) Resets() bool { return k == KindResetBoundary || k == KindReset }

// KindOf returns the kind of a type.
func KindOf(t format.Type) Kind { return kindOf([]byte(t)) }

// Role is the role of a message as a small number.
type Role uint8

// The roles that matter before a message is decoded.
const (
	RoleNone Role = iota // not a message, or one without a role
	RoleUser
	RoleAssistant
	RoleToolResult
	RoleBashExecution
	RoleCustom
	RoleSystem
	RoleOther
	roleCount
)

var roleNames = [roleCount]format.Role{
	RoleUser:          format.RoleUser,
	RoleAssistant:     format.RoleAssistant,
	RoleToolResult:    format.RoleToolResult,
	RoleBashExecution: format.RoleBashExecution,
	RoleCustom:        format.RoleCustom,
	RoleSystem:        format.RoleSystem,
}

// speaks reports whether the role is that of the user or the assistant.
func (r Role) speaks() bool { return r == RoleUser || r == RoleAssistant }

// Name returns the role's name in the file, or "" if only the message has it.
func (r Role) Name() format.Role { return roleNames[r] }

func roleOf(name []byte) Role {
	switch format.Role(name) {
	case format.RoleUser:
		return RoleUser
	case format.RoleAssistant:
		return RoleAssistant
	case format.RoleToolResult:
		return RoleToolResult
	case format.RoleBashExecution:
		return RoleBashExecution
	case format.RoleCustom, format.RoleHookMessage:
		return RoleCustom
	case format.RoleSystem:
		return RoleSystem
	case "":
		return RoleNone
	}
	return RoleOther
}
