package journal

import (
	"math"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// None is the index of no entry: the parent of a root, or the leaf before the
// first entry.
const None = -1

// NoTime is the time of an entry whose timestamp is missing or not a date.
const NoTime = math.MinInt64

// An Entry is an entry without its body.
type Entry struct {
	ID     string // "" if its line has none
	Parent string // ID of the parent, which may not exist; "" for a root
	Offset int64  // of the entry's first byte
	Time   int64  // milliseconds since 1970, or NoTime
	Len    uint32 // without the line ending
	Line   int32  // physical line, from 1
	parent int32  // index of the parent, or None
	Kind   Kind
	Role   Role
	Flags  Flags
	// body is the offset of a message within its line, if it is the line's last
	// member, and 0 if it must be searched.
	body uint8
}

// Of returns an entry that was decoded or made in memory, without its position
// in a log.
func Of(entry format.Entry) Entry {
	head := entry.Head()
	e := Entry{ID: head.ID, Parent: head.ParentID, Kind: KindOf(format.TypeOf(entry)), Time: NoTime, parent: None}
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

// Message returns the raw message of a message entry, given its line, or nil if
// it has none.
func (e *Entry) Message(line []byte) []byte {
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

// closingBrace returns the offset of an object's last brace in its line.
func closingBrace(line []byte) int {
	end := len(line) - 1
	for end > 0 && line[end] <= ' ' {
		end--
	}
	return end
}

// Annotates reports whether e is a name or a label.
func (e *Entry) Annotates() bool { return e.Kind == KindLabel || e.Kind == KindSessionInfo }

// Bookkeeping reports whether e describes the session instead of continuing the
// conversation: labels, names, accounting, state of extensions.
func (e *Entry) Bookkeeping() bool {
	switch e.Kind {
	case KindLabel, KindSessionInfo, KindUsage, KindForeignNote:
		return true
	case KindCustom:
		return e.Flags&IsLeafMarker == 0
	}
	return false
}

// Conversation reports whether e is a user or assistant message. The first one
// causes a new session to be written to disk.
func (e *Entry) Conversation() bool {
	return e.Kind == KindMessage && (e.Role == RoleUser || e.Role == RoleAssistant)
}
