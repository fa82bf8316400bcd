package envelope

import (
	"bytes"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Record is one JSON object of a line and where its members are. It is read in
// one pass, the members of its message included, and used again for the next. What
// it gives points into the line.
type Record struct {
	line  []byte
	found members
	parts Message
	split bool // parts are those of this record
}

// Each takes a line apart, without its end: it calls take for every record on it,
// and returns what is wrong with the line as a whole, 0 for nothing. A line of
// white space holds nothing.
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

// Read takes a line that is one record; false for any other.
func (r *Record) Read(line []byte) bool { return r.scan(line) == jsonl.Object }

// scan reads a line. The pass that validates the message of a usual line finds its
// members too.
func (r *Record) scan(line []byte) jsonl.Shape {
	r.line, r.split = line, false
	if r.found.splitUsual(line) && r.parts.read(r.found.spans[keyMessage].Of(line)) {
		r.split = true
		return jsonl.Object
	}
	shape, _ := keys.Scan(line, r.found.spans[:])
	return shape
}

// Line is the whole record.
func (r *Record) Line() []byte { return r.line }

// Type is the record's type; nil when it has none.
func (r *Record) Type() []byte {
	typ, _ := typeName(r.found.spans[keyType].Of(r.line))
	return typ
}

// IsEntry reports whether the record is an entry: it has a type or an id, and is not
// a header.
func (r *Record) IsEntry() bool {
	typ := r.Type()
	return (typ != nil || len(r.ID()) > 0) && string(typ) != string(format.TypeSession)
}

// Kind is that of the record's type.
func (r *Record) Kind() Kind { return kindOf(r.Type()) }

// ID is the record's id; nil when it has none.
func (r *Record) ID() []byte { return r.text(keyID) }

// RawID is the id as it is written.
func (r *Record) RawID() []byte { return r.found.spans[keyID].Of(r.line) }

// Parent is the id of the parent; nil for a root. Of a leaf record it is the target.
func (r *Record) Parent() []byte {
	if string(r.found.spans[keyType].Of(r.line)) == leafType {
		return TextOf(LeafTarget(r.line))
	}
	return r.text(keyParent)
}

const leafType = `"` + string(format.TypeLeaf) + `"`

// RawTime is the timestamp as it is written.
func (r *Record) RawTime() []byte { return r.found.spans[keyTime].Of(r.line) }

// Member is another member as it is written; nil when there is none.
func (r *Record) Member(name string) []byte {
	raw, _ := jsonl.Lookup(r.line, name)
	return raw
}

func (r *Record) text(key int) []byte { return TextOf(r.found.spans[key].Of(r.line)) }

// Message is the message of a message entry; nil when it has none. It is valid
// until the next record is read.
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

// Usage is what the record says that models took, as it is written; nil when it
// says nothing. It stands in answers and results of tools, in summaries, and in
// entries that account for what was spent outside of the conversation.
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
