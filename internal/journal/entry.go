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
	// The message in the line of a message entry.
	body, bodyLen uint32
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

// KeepsLines reports whether a compaction with these details keeps lines of the
// conversation, as Atomic writes them.
func KeepsLines(details []byte) bool {
	return jsonl.LookupString(details, "strategy") == format.VerbatimStrategy
}

// Message returns the raw message of a message entry, given its line, or nil if
// it has none.
func (e *Entry) Message(line []byte) []byte {
	if e.bodyLen == 0 {
		return nil
	}
	return line[e.body : e.body+e.bodyLen : e.body+e.bodyLen]
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
func (e *Entry) Conversation() bool { return e.Kind == KindMessage && e.Role.speaks() }
