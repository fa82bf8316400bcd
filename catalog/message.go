package catalog

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// answerScanner finds what is needed of an assistant's message.
var answerScanner = jsonl.NewKeys("role", "content", "provider", "model", "usage", "stopReason")

const (
	answerProvider   = 2
	answerModel      = 3
	answerUsage      = 4
	answerStopReason = 5
)

// message takes a message entry; f.spans point at its members. It returns how
// the path ends behind it, if the message decides that.
func (f *facts) message(line []byte) (_ state, decides bool) {
	f.messages++
	msg := f.spans[keyMessage].Of(line)
	if jsonl.KindOf(msg) != '{' {
		f.findings++ // pitfall 16
		return stateEmpty, false
	}
	role := knownRole(envelope.RoleName(msg))
	var stop []byte
	switch role {
	case format.RoleAssistant:
		stop = f.answer(msg)
	case format.RoleUser:
	case format.RoleToolResult:
		f.spent.addMember(msg)
		return stateAfter(role, nil)
	case format.RoleDeveloper:
		f.said(role, msg)
		return stateEmpty, false
	default:
		return stateEmpty, false
	}
	if at, ok := f.timeOf(msg, line); ok {
		f.activity = max(f.activity, at)
	}
	f.said(role, msg)
	return stateAfter(role, stop)
}

// answer takes what an assistant's message says beside its text. It returns the
// raw reason why the assistant stopped.
func (f *facts) answer(msg []byte) []byte {
	var spans [6]jsonl.Span
	if shape, _ := answerScanner.Scan(msg, spans[:]); shape != jsonl.Object {
		return nil
	}
	provider, _ := envelope.Text(spans[answerProvider].Of(msg))
	model, _ := envelope.Text(spans[answerModel].Of(msg))
	f.answeredBy(provider, model)
	f.spent.add(spans[answerUsage].Of(msg))
	return spans[answerStopReason].Of(msg)
}

// answeredBy keeps the name of a model without making it anew for each answer.
func (f *facts) answeredBy(provider, model []byte) {
	if len(provider) == 0 && len(model) == 0 {
		return
	}
	rest, ok := strings.CutPrefix(f.model, string(provider))
	if ok && len(provider) > 0 && len(model) > 0 {
		rest, ok = strings.CutPrefix(rest, "/")
	}
	if !ok || rest != string(model) {
		f.model = joinModel(string(provider), string(model))
	}
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
			f.first = string(beginning(said))
		} else {
			f.stopgap = string(beginning(said)) // pitfall 57
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
	case format.RoleToolResult:
		return format.RoleToolResult
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

// mostFirst is how much of a first message is kept. Nobody reads more of it in a
// list, and an index of messages that hold whole files would be as large as they.
const mostFirst = 8 << 20

// beginning is a text, cut between two characters when it is too long to keep.
func beginning(text []byte) []byte {
	if len(text) <= mostFirst {
		return text
	}
	end := mostFirst
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
