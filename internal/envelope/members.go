package envelope

import (
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

// members are the positions of the relevant members of a line, and of the role
// of its message. Of several with one name the last one counts.
type members struct {
	spans [keyCount]jsonl.Span
	role  jsonl.Span // within the line; also absent if it was not looked up
}

// scan is like keys.Scan for a line.
func (m *members) scan(line []byte) (jsonl.Shape, int) {
	if m.scanUsual(line) {
		return jsonl.Object, -1
	}
	m.role = jsonl.Span{}
	return keys.Scan(line, m.spans[:])
}

// roleName returns the role of the line's message, which must be an object.
func (m *members) roleName(line []byte) []byte {
	raw := m.role.Of(line)
	if raw == nil {
		raw, _ = jsonl.Lookup(m.spans[keyMessage].Of(line), "role")
	}
	name, _ := Text(raw)
	return name
}

var roleKey = jsonl.NewKeys("role")

// The text between the members of a usual line.
const (
	isMessage  = `{"type":"message"`
	thenID     = `,"id":`
	thenParent = `,"parentId":`
	thenTime   = `,"timestamp":`
	thenBody   = `,"message":{`
)

// scanUsual finds the same as keys.Scan in a line of the form that nearly every
// writer uses: a message with type, id, parent and time before it in that
// order, and nothing after it. Then a name can occur twice only in the message,
// which is read by itself: the pass that validates it sees all its members,
// including a second role far behind. ok is false for any other line, and for
// one that is not JSON.
func (m *members) scanUsual(line []byte) (ok bool) {
	if !m.splitUsual(line) {
		return false
	}
	body := m.spans[keyMessage]
	var role [1]jsonl.Span
	if shape, _ := roleKey.Scan(body.Of(line), role[:]); shape != jsonl.Object {
		return false
	}
	if role[0].Present() {
		m.role = jsonl.Span{Start: body.Start + role[0].Start, End: body.Start + role[0].End}
	}
	return true
}

// splitUsual finds the members of a usual line without reading the message: the
// line is valid if and only if the message is an object.
func (m *members) splitUsual(line []byte) (ok bool) {
	end := len(line) - 1
	if end >= 0 && line[end] == '\r' {
		end--
	}
	if end < 1 || line[end] != '}' || line[end-1] != '}' || !startsAt(line, 0, isMessage) {
		return false
	}
	*m = members{}
	at := len(isMessage)
	m.spans[keyType] = jsonl.Span{Start: len(`{"type":`), End: at}
	if startsAt(line, at, thenID) {
		m.spans[keyID], at = plainValue(line, at+len(thenID))
	}
	if startsAt(line, at, thenParent) {
		m.spans[keyParent], at = plainValue(line, at+len(thenParent))
	}
	if startsAt(line, at, thenTime) {
		m.spans[keyTime], at = plainValue(line, at+len(thenTime))
	}
	if !startsAt(line, at, thenBody) {
		return false
	}
	m.spans[keyMessage] = jsonl.Span{Start: at + len(thenBody) - 1, End: end}
	return true
}

// UsualMessage returns the raw message of a line, for callers that read the
// message in full and would otherwise read the line twice. It returns nil for a
// line that is not a message, and for one that does not have the usual form. It
// does not read the message: the result is the message only if it is a valid
// object.
func UsualMessage(line []byte) []byte {
	var m members
	if !m.splitUsual(line) {
		return nil
	}
	return m.spans[keyMessage].Of(line)
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
		end = endOfPlain(b, start+1)
	}
	if end == len(b) {
		return jsonl.Span{}, end
	}
	return jsonl.Span{Start: start, End: end}, end
}

// endOfPlain returns the offset after the closing quote of a string without
// escapes, given the offset after its opening quote, or len(b) for any other
// string.
func endOfPlain(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\' || c < ' ':
			return len(b)
		}
	}
	return len(b)
}

// startsAt reports whether b continues with text at an offset.
func startsAt(b []byte, at int, text string) bool {
	return len(b)-at >= len(text) && string(b[at:at+len(text)]) == text
}
