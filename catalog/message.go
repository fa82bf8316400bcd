package catalog

import (
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// message takes a message entry; f.spans point at its members.
func (f *facts) message(line []byte, off int64) {
	f.messages++
	msg := f.spans[keyMessage].Of(line)
	if jsonl.KindOf(msg) != '{' {
		f.findings++ // pitfall 16
		return
	}
	role := knownRole(envelope.RoleName(msg))
	switch role {
	case format.RoleUser:
	case format.RoleAssistant:
		f.answer = place{off, len(line)}
	case format.RoleDeveloper:
		f.said(role, msg)
		return
	default:
		return
	}
	if at, ok := f.timeOf(msg, line); ok {
		f.activity = max(f.activity, at)
	}
	f.said(role, msg)
}

// said takes the text of a message, if it is still of use.
func (f *facts) said(role format.Role, msg []byte) {
	isFirst := f.first == "" && (role == format.RoleUser || f.stopgap == "")
	isText := f.query.text && role != format.RoleDeveloper
	if !isFirst && !isText {
		return
	}
	start := len(f.text)
	if start > 0 {
		f.text = append(f.text, ' ')
	}
	begin := len(f.text)
	content, _ := jsonl.Lookup(msg, "content")
	f.text = appendText(f.text, content)
	said := f.text[begin:]
	if isFirst && len(said) > 0 {
		if role == format.RoleUser {
			f.first = string(said)
		} else {
			f.stopgap = string(said) // pitfall 57
		}
	}
	if len(said) == 0 || !isText {
		f.text = f.text[:start]
	}
}

// knownRole is the role if it matters here, without a copy of its name.
func knownRole(name []byte) format.Role {
	switch format.Role(name) {
	case format.RoleUser:
		return format.RoleUser
	case format.RoleAssistant:
		return format.RoleAssistant
	case format.RoleDeveloper:
		return format.RoleDeveloper
	}
	return ""
}

// timeOf is when a message was made, in milliseconds: its own timestamp if that
// is a number, else the one of its entry.
func (f *facts) timeOf(msg, line []byte) (int64, bool) {
	ms, ok := lastTimestamp(msg)
	if !ok {
		ms, ok = intMember(msg, "timestamp")
	}
	if ok {
		if _, ok := dateOf(ms); ok {
			return ms, true
		}
	}
	raw := f.spans[keyTime].Of(line)
	if ms, ok := number(raw); ok {
		_, ok := dateOf(ms)
		return ms, ok
	}
	stamp, _ := envelope.Text(raw)
	t, ok := format.ParseTime(string(stamp))
	return t.UnixMilli(), ok
}

// dateOf is a JavaScript date; ok is false outside its range.
func dateOf(ms int64) (_ time.Time, ok bool) {
	const most = 8_640_000_000_000_000
	if ms < -most || ms > most {
		return time.Time{}, false
	}
	return time.UnixMilli(ms).UTC(), true
}

var blockScanner = jsonl.NewKeys("type", "text")

// appendText appends the text of a message's content as pi's list has it: the
// string, or the text blocks joined by a space. Content of any other shape has
// none (pitfall 17).
func appendText(dst, content []byte) []byte {
	switch jsonl.KindOf(content) {
	case '"':
		s, _ := jsonl.String(content)
		return append(dst, s...)
	case '[':
	default:
		return dst
	}
	several := false
	for block := range jsonl.Elements(content) {
		var spans [2]jsonl.Span
		if shape, _ := blockScanner.Scan(block, spans[:]); shape != jsonl.Object {
			continue
		}
		if kind, _ := envelope.Text(spans[0].Of(block)); string(kind) != "text" {
			continue
		}
		if several {
			dst = append(dst, ' ')
		}
		several = true
		s, _ := jsonl.String(spans[1].Of(block))
		dst = append(dst, s...)
	}
	return dst
}
