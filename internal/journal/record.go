package journal

import (
	"bytes"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

var (
	recordMembers = jsonl.NewKeys("type", "id", "parentId", "timestamp", "message", "customType")
	keys          = recordMembers.With(keyMessage, messageMembers)
)

const (
	keyType = iota
	keyID
	keyParent
	keyTime
	keyMessage
	keyCustomType
	keyCount
)

// A Record is one JSON object of a line with the positions of its members. It
// is read in one pass, including the members of its message, and reused for the
// next record. Its results point into the line.
type Record struct {
	line  []byte
	typ   []byte
	kind  Kind
	spans [keyCount + messageMemberCount]jsonl.Span
	parts Message
	split bool // parts belong to this record
}

// Each splits a line, without its line ending: it calls take for every record
// in it, and returns the fault of the line as a whole, or 0. A line of white
// space contains no record.
func (r *Record) Each(line []byte, take func(*Record)) FaultKind {
	if isBlank(line) {
		return 0
	}
	switch shape, _ := r.scan(line); shape {
	case jsonl.Object:
		take(r)
		return 0
	case jsonl.Other:
		return FaultNotObject
	}
	inner := bytes.Trim(line, "\x00")
	records := Records(inner)
	for _, at := range records {
		r.scan(at.Of(inner))
		take(r)
	}
	switch {
	case len(records) == 0:
		return FaultMalformed
	case records[0].Start > 0 || records[0].End < len(inner):
		return FaultFused
	}
	return FaultPadded
}

func isBlank(line []byte) bool {
	return (len(line) == 0 || line[0] != '{') && len(bytes.TrimSpace(line)) == 0
}

// Read reads a line that is one record. It returns false for any other line.
func (r *Record) Read(line []byte) bool {
	shape, _ := r.scan(line)
	return shape == jsonl.Object
}

// scan reads a line, and returns the offset of its fault if it is not JSON.
func (r *Record) scan(line []byte) (jsonl.Shape, int) {
	r.line, r.split = line, false
	shape, fault := keys.Scan(line, r.spans[:])
	r.typ, _ = jsonl.Text(r.spans[keyType].Of(line))
	r.kind = kindOf(r.typ)
	return shape, fault
}

// Line returns the whole record.
func (r *Record) Line() []byte { return r.line }

// Type returns the record's type, or nil.
func (r *Record) Type() []byte { return r.typ }

// IsEntry reports whether the record is an entry: it has a type or an id, and
// is not a header.
func (r *Record) IsEntry() bool {
	return r.kind == KindMessage || (r.typ != nil || len(r.ID()) > 0) && string(r.typ) != string(format.TypeSession)
}

// Kind returns the kind of the record's type.
func (r *Record) Kind() Kind { return r.kind }

// ID returns the record's id, or nil.
func (r *Record) ID() []byte { return r.text(keyID) }

// RawID returns the raw value of the id.
func (r *Record) RawID() []byte { return r.spans[keyID].Of(r.line) }

// Parent returns the id of the parent, or nil for a root. For a leaf record it
// returns the target.
func (r *Record) Parent() []byte {
	if r.kind == KindLeafRecord {
		return jsonl.TextOf(r.Member("targetId"))
	}
	return r.text(keyParent)
}

// RawTime returns the raw value of the timestamp.
func (r *Record) RawTime() []byte { return r.spans[keyTime].Of(r.line) }

// Member returns the raw value of another member, or nil.
func (r *Record) Member(name string) []byte {
	raw, _ := jsonl.Lookup(r.line, name)
	return raw
}

func (r *Record) text(key int) []byte { return jsonl.TextOf(r.spans[key].Of(r.line)) }

// Message returns the message of a message entry, or nil. It is valid until the
// next record is read.
func (r *Record) Message() *Message {
	if jsonl.KindOf(r.spans[keyMessage].Of(r.line)) != '{' {
		return nil
	}
	if !r.split {
		r.parts.take(r.line, r.spans[keyCount:])
		r.split = true
	}
	return &r.parts
}

// Usage returns the raw usage of the record, or nil. Responses, tool results,
// summaries and accounting entries have one.
func (r *Record) Usage() []byte {
	switch r.Kind() {
	case KindMessage:
		if m := r.Message(); m != nil && (m.Speaker() == RoleAssistant || m.Speaker() == RoleToolResult) {
			return m.Usage
		}
	case KindCompaction, KindBranchSummary, KindUsage:
		return r.Member("usage")
	case KindForeignNote:
		switch format.Type(r.Type()) {
		case format.TypeModelUsage, format.TypeSessionSummary:
			return r.Member("usage")
		}
	}
	return nil
}

// TimeOf returns the time in a raw timestamp in milliseconds since 1970, or NoTime.
func TimeOf(raw []byte) int64 {
	t, ok := format.ParseTime(string(jsonl.TextOf(raw)))
	if !ok {
		return NoTime
	}
	return t.UnixMilli()
}

// Activity returns the time of a user or assistant message in milliseconds, as
// pi's list reads it: the message's own timestamp if that is a number, otherwise
// that of its entry. ok is false for every other record, and if the time is
// unknown.
func (r *Record) Activity() (ms int64, ok bool) {
	if r.kind != KindMessage {
		return 0, false
	}
	m := r.Message()
	if m == nil || !m.Conversation() {
		return 0, false
	}
	if ms, ok := jsonl.Truncated(m.Timestamp); ok && isDate(ms) {
		return ms, true
	}
	raw := r.RawTime()
	if ms, ok := jsonl.Truncated(raw); ok {
		return ms, isDate(ms)
	}
	ms = TimeOf(raw)
	return ms, ms != NoTime
}

// isDate reports whether a number of milliseconds is a JavaScript date.
func isDate(ms int64) bool {
	const most = 8_640_000_000_000_000
	return -most <= ms && ms <= most
}

// Entry returns the record as an entry without its parent and its place in a log.
func (r *Record) Entry() Entry {
	e := Entry{ID: string(r.ID()), Len: uint32(len(r.line)), Time: TimeOf(r.RawTime()), parent: None, Kind: r.kind, Flags: r.flags()}
	if m := r.Message(); m != nil && e.Kind == KindMessage {
		span := r.spans[keyMessage]
		e.Role, e.body, e.bodyLen = m.Speaker(), uint32(span.Start), uint32(span.End-span.Start)
		if len(m.Content) == 0 || jsonl.IsNull(m.Content) {
			e.Flags |= IsEmpty
		}
	}
	return e
}

// flags returns the facts that the kind does not show.
func (r *Record) flags() Flags {
	switch {
	case r.kind == KindCustom:
		return customFlags(r.text(keyCustomType))
	case r.kind == KindCompaction && KeepsLines(r.Member("details")):
		return IsVerbatim
	}
	return 0
}

// RoleName returns the role of a raw message, as bytes of the message if
// possible. Nearly every writer puts it first, and then nothing more is read:
// of two roles, which no known writer produces, it may return the first,
// although the last one counts (F11). If that matters, use [Entry.Role] or
// decode the message.
func RoleName(msg []byte) []byte {
	if rest, ok := bytes.CutPrefix(msg, []byte(`{"role":"`)); ok {
		for i, c := range rest { // role names are short
			if c == '"' {
				return rest[:i]
			}
			if c == '\\' {
				break
			}
		}
	}
	raw, _ := jsonl.Lookup(msg, "role")
	return jsonl.TextOf(raw)
}
