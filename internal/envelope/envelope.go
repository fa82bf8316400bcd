// Package envelope finds the entries of a session log without decoding them.
//
// A [Table] holds what the tree needs of every line: where it is, its type, id,
// parent and time, and for a message its role. Bodies stay in the log until
// somebody asks for them. Every line is validated in full, so a line is an
// entry here exactly when JavaScript's JSON.parse would take it; what is not an
// entry is a [Fault] with its line and byte, never a silent skip.
//
// The package reads through an [io.ReaderAt] and holds no files. Reading is
// parallel over blocks of the log; the result does not depend on how many
// blocks or workers there were.
//
// # Invariants
//
//	E1  Entries stand in the order of the log.
//	E2  Memory grows with the number of lines, not with their length.
//	E3  Extending a table over appended bytes gives the same table as scanning anew.
//	E4  What a table has said never changes: its lists and its text only grow.
//	E5  A table says of an entry what decoding it says, also of one in which a
//	    name comes twice: the last counts, in the line and in its message (F11).
package envelope

import (
	"math"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// NoTime is the time of an entry whose timestamp is missing or not a date.
const NoTime = math.MinInt64

// An Entry is the envelope of one line. It holds no pointers, so that a list of
// them is nothing to the garbage collector and can be kept in a file; what the
// line says its id and parent are stands in the table: see [Table.ID].
type Entry struct {
	Offset     int64 // of the entry's first byte
	Time       int64 // milliseconds since 1970, or NoTime
	id, parent ref
	Len        uint32 // without the line's end
	Line       int32  // physical line, from 1
	Kind       Kind
	Role       Role
	Flags      Flags
	// body is where a message begins within its line, when it is the line's
	// last member; 0 when it must be looked for.
	body uint16
}

// A ref is a piece of the text that a table keeps.
type ref struct{ start, len uint32 }

func (r ref) of(text []byte) []byte { return text[r.start : r.start+r.len : r.start+r.len] }

// Of is the envelope of an entry that was decoded or made in memory. Where it
// stands in a log is not known, and its id and parent are not in it.
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

// isVerbatim reports whether a compaction with such details keeps lines.
func isVerbatim(details []byte) bool {
	return jsonl.KindOf(details) == '{' && jsonl.LookupString(details, "strategy") == format.VerbatimStrategy
}

// closingBrace is where an object's last brace is, given its line.
func closingBrace(line []byte) int {
	end := len(line) - 1
	for end > 0 && line[end] <= ' ' {
		end--
	}
	return end
}

// Message is the raw message of a message entry, given its line; nil when it
// has none.
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

// Flags are facts about an entry that its kind does not say.
type Flags uint8

const (
	// IsLeafMarker is set for a custom entry of type [format.LeafCustomType].
	IsLeafMarker Flags = 1 << iota
	// IsVerbatim is set for a compaction whose summary is lines of the conversation,
	// as Atomic makes them.
	IsVerbatim
	// IsContextNotes is set for a custom entry of type [format.ContextNotesType].
	IsContextNotes
	// IsExit is set for a custom entry of type [format.SessionExitType].
	IsExit
)

// Kind is the type of an entry as a small number.
type Kind uint8

// The kinds that pith knows. Any other type is KindUnknown and is carried along.
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
	// lists, accounting. It never takes part in a conversation.
	KindForeignNote
	// KindResetBoundary is oh-my-pi's /clear: the context starts anew behind it.
	KindResetBoundary
	// KindReset is OpenClaw's: the same, but it may keep what came before from an
	// entry on.
	KindReset
	// KindLeafRecord is OpenClaw's record of where the session stands. Its target
	// counts as its parent.
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

// Type is the kind's name in the file; "" for a kind that stands for several.
func (k Kind) Type() format.Type { return kindTypes[k] }

// Resets reports whether contexts start anew behind entries of the kind.
func (k Kind) Resets() bool { return k == KindResetBoundary || k == KindReset }

// KindOf is the kind of a type's name.
func KindOf(t format.Type) Kind { return kindOf([]byte(t)) }

// Annotates reports whether e is a name or a label. Written below an older entry,
// such a line does not say where the session goes on: a window that had not seen
// the rest may have written it (pitfall 77). Every other entry does, as in the
// program that wrote it.
func (e Entry) Annotates() bool { return e.Kind == KindLabel || e.Kind == KindSessionInfo }

// Bookkeeping reports whether e says something about the session instead of
// continuing the conversation: labels, names, accounting, state of extensions.
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

// The roles that decide something before a message is decoded.
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

// Name is the role's name in the file; "" where the message must be asked.
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

// Conversation reports whether e is what brings a new session onto the disk: a
// message of the user or of the assistant.
func (e Entry) Conversation() bool {
	return e.Kind == KindMessage && (e.Role == RoleUser || e.Role == RoleAssistant)
}
