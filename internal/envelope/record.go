package envelope

import (
	"bytes"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Record is one JSON object of a line with the positions of its members. It
// is read in one pass, including the members of its message, and reused for the
// next record. Its results point into the line.
type Record struct {
	line  []byte
	typ   []byte
	kind  Kind
	found members
	parts Message
	split bool // parts belong to this record
}

// Each splits a line, without its line ending: it calls take for every record
// in it, and returns the fault of the line as a whole, or 0. A line of white
// space contains no record.
func (r *Record) Each(line []byte, take func(*Record)) FaultKind {
	if (len(line) == 0 || line[0] != '{') && len(bytes.TrimSpace(line)) == 0 {
		return 0
	}
	switch r.scan(line) {
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

// Read reads a line that is one record. It returns false for any other line.
func (r *Record) Read(line []byte) bool { return r.scan(line) == jsonl.Object }

// scan reads a line. The pass that validates the message of a usual line also
// finds its members.
func (r *Record) scan(line []byte) jsonl.Shape {
	r.line, r.split = line, false
	if r.found.splitUsual(line) && r.parts.read(r.found.spans[keyMessage].Of(line)) {
		r.split = true
		r.typ, r.kind = messageType, KindMessage
		return jsonl.Object
	}
	shape, _ := keys.Scan(line, r.found.spans[:])
	r.typ, _ = typeName(r.found.spans[keyType].Of(line))
	r.kind = kindOf(r.typ)
	return shape
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
func (r *Record) RawID() []byte { return r.found.spans[keyID].Of(r.line) }

// Parent returns the id of the parent, or nil for a root. For a leaf record it
// returns the target.
func (r *Record) Parent() []byte {
	if r.kind == KindLeafRecord {
		return TextOf(LeafTarget(r.line))
	}
	return r.text(keyParent)
}

// RawTime returns the raw value of the timestamp.
func (r *Record) RawTime() []byte { return r.found.spans[keyTime].Of(r.line) }

// Member returns the raw value of another member, or nil.
func (r *Record) Member(name string) []byte {
	raw, _ := jsonl.Lookup(r.line, name)
	return raw
}

func (r *Record) text(key int) []byte { return TextOf(r.found.spans[key].Of(r.line)) }

// Message returns the message of a message entry, or nil. It is valid until the
// next record is read.
func (r *Record) Message() *Message {
	if !r.split {
		raw := r.found.spans[keyMessage].Of(r.line)
		if jsonl.KindOf(raw) != '{' || !r.parts.read(raw) {
			return nil
		}
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

// Activity returns the time of a user or assistant message in milliseconds, as
// pi's list reads it: the message's own timestamp if that is a number, otherwise
// that of its entry. ok is false for every other record, and if the time is
// unknown.
func (r *Record) Activity(c *Clock) (ms int64, ok bool) {
	if r.kind != KindMessage {
		return 0, false
	}
	m := r.Message()
	if m == nil || m.Speaker() != RoleUser && m.Speaker() != RoleAssistant {
		return 0, false
	}
	if ms, ok := jsonl.Truncated(m.Timestamp); ok && isDate(ms) {
		return ms, true
	}
	raw := r.RawTime()
	if ms, ok := jsonl.Truncated(raw); ok {
		return ms, isDate(ms)
	}
	ms = c.Read(raw)
	return ms, ms != NoTime
}

// isDate reports whether a number of milliseconds is a JavaScript date.
func isDate(ms int64) bool {
	const most = 8_640_000_000_000_000
	return -most <= ms && ms <= most
}
