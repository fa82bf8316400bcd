// Package envelope finds the entries of a session log without decoding them.
//
// A [Table] contains what the tree needs from every line: its offset, type, id,
// parent and time, and the role of a message. Bodies stay in the log until they
// are requested. Every line is validated in full: a line is an entry if and
// only if JavaScript's JSON.parse would accept it. A line that is not an entry
// is reported as a [Fault] with its line and byte, never skipped silently.
//
// The package reads through an [io.ReaderAt] and keeps no files open. Blocks of
// the log are read in parallel; the result does not depend on the number of
// blocks or workers.
//
// # Invariants
//
//	E1  Entries are in the order of the log.
//	E2  Memory grows with the number of lines, not with their length.
//	E3  Extending a table over appended bytes gives the same table as a new scan.
//	E4  The contents of a table never change: its lists and its text only grow.
//	E5  A table agrees with the decoded entry, even if a name occurs twice: the last
//	    one counts, in the line and in its message (F11).
package envelope

import (
	"math"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// NoTime is the time of an entry whose timestamp is missing or not a date.
const NoTime = math.MinInt64

// An Entry is the envelope of one line. Its id and parent are in the table: see
// [Table.ID].
type Entry struct {
	Offset int64  // of the entry's first byte
	Time   int64  // milliseconds since 1970, or NoTime
	Len    uint32 // without the line ending
	Line   int32  // physical line, from 1
	Kind   Kind
	Role   Role
	Flags  Flags
	// body is the offset of a message within its line, if it is the line's last
	// member, and 0 if it must be searched.
	body uint8
}

// A ref is a piece of a text.
type ref struct{ start, len uint32 }

func (r ref) of(text []byte) []byte { return text[r.start : r.start+r.len : r.start+r.len] }

// Of returns the envelope of an entry that was decoded or made in memory,
// without its position in a log, its id and its parent.
func Of(entry format.Entry) Entry {
	head := entry.Head()
	e := Entry{Kind: KindOf(format.TypeOf(entry)), Time: NoTime}
	if t, ok := head.Time(); ok {
		e.Time = t.UnixMilli()
	}
	switch x := entry.(type) {
	case *format.MessageEntry:
		e.Role = roleOf([]byte(x.Message.Role()))
	case *format.Custom:
		e.Flags |= customFlags([]byte(x.CustomType))
	case *format.Compaction:
		if isVerbatim(x.Details) {
			e.Flags |= IsVerbatim
		}
	}
	return e
}

func customFlags(customType []byte) Flags {
	switch string(customType) {
	case format.LeafCustomType:
		return IsLeafMarker
	case format.ContextNotesType:
		return IsContextNotes
	case format.SessionExitType:
		return IsExit
	}
	return 0
}

// isVerbatim reports whether a compaction with these details keeps lines.
func isVerbatim(details []byte) bool {
	return jsonl.LookupString(details, "strategy") == format.VerbatimStrategy
}

// closingBrace returns the offset of an object's last brace in its line.
func closingBrace(line []byte) int {
	end := len(line) - 1
	for end > 0 && line[end] <= ' ' {
		end--
	}
	return end
}

// Message returns the raw message of a message entry, given its line, or nil if
// it has none.
func (e Entry) Message(line []byte) []byte {
	if e.body != 0 {
		end := closingBrace(line)
		return line[e.body:end:end]
	}
	raw, _ := jsonl.Lookup(line, "message")
	if jsonl.KindOf(raw) != '{' {
		return nil
	}
	return raw
}

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

// Annotates reports whether e is a name or a label.
func (e Entry) Annotates() bool { return e.Kind == KindLabel || e.Kind == KindSessionInfo }

// Bookkeeping reports whether e describes the session instead of continuing the
// conversation: labels, names, accounting, state of extensions.
func (e Entry) Bookkeeping() bool {
	switch e.Kind {
	case KindLabel, KindSessionInfo, KindUsage, KindForeignNote:
		return true
	case KindCustom:
		return e.Flags&IsLeafMarker == 0
	}
	return false
}

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

// Conversation reports whether e is a user or assistant message. The first one
// causes a new session to be written to disk.
func (e Entry) Conversation() bool {
	return e.Kind == KindMessage && (e.Role == RoleUser || e.Role == RoleAssistant)
}
