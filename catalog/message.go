package catalog

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// message handles a message entry. It returns the state of the path after it,
// if the message decides that.
func (f *facts) message(r *journal.Record) (_ state, decides bool) {
	f.messages++
	m := r.Message()
	if m == nil {
		f.findings++ // pitfall 16
		return stateEmpty, false
	}
	role := m.Speaker()
	switch role {
	case journal.RoleAssistant:
		f.answeredBy(jsonl.TextOf(m.Provider), jsonl.TextOf(m.Model))
	case journal.RoleUser:
	default:
		if string(jsonl.TextOf(m.Role)) == string(format.RoleDeveloper) {
			f.addMessage(role, m)
		}
		return stateAfter(m)
	}
	if at, ok := r.Activity(); ok {
		f.activity = max(f.activity, at)
	}
	f.addMessage(role, m)
	return stateAfter(m)
}

// answeredBy sets the model without allocating its name again for each
// response.
func (f *facts) answeredBy(provider, model []byte) {
	if len(provider) == 0 && len(model) == 0 {
		return
	}
	rest, ok := strings.CutPrefix(f.model, string(provider))
	if ok && len(provider) > 0 && len(model) > 0 {
		rest, ok = strings.CutPrefix(rest, "/")
	}
	if !ok || rest != string(model) {
		f.model = format.ModelName(string(provider), string(model))
	}
}

// addMessage handles the text of a message if it is still needed. User and assistant
// text belongs to the text of the session; text of other roles can only be the
// first message.
func (f *facts) addMessage(role journal.Role, m *journal.Message) {
	isUser := role == journal.RoleUser
	isFirst := f.first == "" && (isUser || f.stopgap == "")
	isText := f.query.text && (isUser || role == journal.RoleAssistant)
	if !isFirst && !isText {
		return
	}
	start := len(f.text)
	if start > 0 {
		f.text = append(f.text, ' ')
	}
	first := len(f.text)
	f.text = appendText(f.text, m.Content)
	addMessage := f.text[first:]
	if isFirst && len(bytes.TrimSpace(addMessage)) > 0 {
		if isUser {
			f.first = f.beginning(addMessage)
		} else {
			f.stopgap = f.beginning(addMessage) // pitfall 57
		}
	}
	if len(addMessage) == 0 || !isText {
		f.text = f.text[:start]
	}
}

// dateOf returns a JavaScript date; ok is false outside its range.
func dateOf(ms int64) (_ time.Time, ok bool) {
	const most = 8_640_000_000_000_000
	if ms < -most || ms > most {
		return time.Time{}, false
	}
	return time.UnixMilli(ms).UTC(), true
}

// appendText appends the text of a message's content as pi's list shows it: the
// string, or the text blocks joined by a space. Content of any other shape has
// no text (pitfall 17).
func appendText(dst, content []byte) []byte {
	if jsonl.KindOf(content) == '"' {
		s, _ := jsonl.String(content)
		return append(dst, s...)
	}
	several := false
	for _, b := range journal.Blocks(content) {
		if string(jsonl.TextOf(b.Type)) != "text" {
			continue
		}
		if several {
			dst = append(dst, ' ')
		}
		several = true
		s, _ := jsonl.String(b.Text)
		dst = append(dst, s...)
	}
	return dst
}

// mostFirst is the number of characters to which a first message is cut: one
// more than lists show, so that they can tell that it was cut. It bounds the
// memory per session. A list with texts has the whole message, as pi's list
// does, up to mostWhole bytes.
const (
	mostFirst = 1001
	mostWhole = 8 << 20
)

// beginning returns the start of a first message, cut between two characters if
// it is too long.
func (f *facts) beginning(text []byte) string {
	if f.query.text {
		end := min(len(text), mostWhole)
		for end < len(text) && end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		return string(text[:end])
	}
	return string(text[:shortEnd(text)])
}

// shortEnd returns the offset at which the first mostFirst characters of a text
// end.
func shortEnd[T string | []byte](text T) int {
	if len(text) <= mostFirst {
		return len(text)
	}
	end := 0
	for range mostFirst {
		if end < len(text) && text[end] < utf8.RuneSelf {
			end++
			continue
		}
		_, n := utf8.DecodeRuneInString(string(text[end:min(end+utf8.UTFMax, len(text))]))
		end += n
	}
	return end
}
