package journal

import (
	"bytes"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

var keys = jsonl.NewKeys("type", "id", "parentId", "timestamp", "message", "customType")

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
	spans [keyCount]jsonl.Span
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

// scan reads a line, and returns the offset of its fault if it is not JSON. The
// pass that validates the message of a usual line also finds its members.
func (r *Record) scan(line []byte) (jsonl.Shape, int) {
	r.line, r.split = line, false
	if r.splitUsual(line) && r.parts.read(r.spans[keyMessage].Of(line)) {
		r.split = true
		r.typ, r.kind = messageType, KindMessage
		return jsonl.Object, -1
	}
	shape, fault := keys.Scan(line, r.spans[:])
	r.typ, _ = jsonl.Text(r.spans[keyType].Of(line))
	r.kind = kindOf(r.typ)
	return shape, fault
}

var messageType = []byte(format.TypeMessage)

// The text between the members of a usual line.
const (
	isMessage  = `{"type":"message"`
	thenID     = `,"id":`
	thenParent = `,"parentId":`
	thenTime   = `,"timestamp":`
	thenBody   = `,"message":{`
)

// splitUsual finds the same as keys.Scan in a line of the form that nearly every
// writer uses: a message with type, id, parent and time before it in that
// order, and nothing after it. Then a name can occur twice only in the message.
// splitUsual does not read the message: the line is valid if and only if the
// message is an object. ok is false for any other line.
func (r *Record) splitUsual(line []byte) (ok bool) {
	end := len(line) - 1
	if end >= 0 && line[end] == '\r' {
		end--
	}
	if end < 1 || line[end] != '}' || line[end-1] != '}' || !startsAt(line, 0, isMessage) {
		return false
	}
	r.spans = [keyCount]jsonl.Span{}
	at := len(isMessage)
	r.spans[keyType] = jsonl.Span{Start: len(`{"type":`), End: at}
	for _, m := range [...]struct {
		name string
		key  int
	}{{thenID, keyID}, {thenParent, keyParent}, {thenTime, keyTime}} {
		if startsAt(line, at, m.name) {
			r.spans[m.key], at = plainValue(line, at+len(m.name))
		}
	}
	if !startsAt(line, at, thenBody) {
		return false
	}
	r.spans[keyMessage] = jsonl.Span{Start: at + len(thenBody) - 1, End: end}
	return true
}

// UsualMessage returns the raw message of a line, for callers that read the
// message in full and would otherwise read the line twice. It returns nil for a
// line that is not a message, and for one that does not have the usual form. It
// does not read the message: the result is the message only if it is a valid
// object.
func UsualMessage(line []byte) []byte {
	var r Record
	if !r.splitUsual(line) {
		return nil
	}
	return r.spans[keyMessage].Of(line)
}

// plainValue returns the string at b[start:], or null, and its end. For a
// string with escapes, and for anything else, it returns an absent span and
// len(b).
func plainValue(b []byte, start int) (jsonl.Span, int) {
	end := len(b)
	switch {
	case startsAt(b, start, "null"):
		end = start + len("null")
	case startsAt(b, start, `"`):
		i := start + 1
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
			i++
		}
		if i < len(b) && b[i] == '"' {
			end = i + 1
		}
	}
	if end == len(b) {
		return jsonl.Span{}, end
	}
	return jsonl.Span{Start: start, End: end}, end
}

// startsAt reports whether b continues with text at an offset.
func startsAt(b []byte, at int, text string) bool {
	return len(b)-at >= len(text) && string(b[at:at+len(text)]) == text
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
	if !r.split {
		raw := r.spans[keyMessage].Of(r.line)
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

// flags returns the facts that the kind does not show.
func (r *Record) flags() Flags {
	switch {
	case r.kind == KindCustom:
		return customFlags(r.text(keyCustomType))
	case r.kind == KindCompaction && isVerbatim(r.Member("details")):
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
