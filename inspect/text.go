package inspect

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Text is a string from a session. In JSON it is encoded as by JavaScript:
// half a surrogate pair is preserved.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) { return jsonl.AppendString(nil, string(t)), nil }

// Short returns a text truncated to most characters; if it was truncated, the
// last is an ellipsis.
func (t Text) Short(most int) Text {
	if _, left := cut(string(t), most); left == nil {
		return t
	}
	short, _ := cut(string(t), most-1)
	return short + "…"
}

// A Moment is a time that may be unknown; then it is null in JSON.
type Moment struct{ time.Time }

// MarshalJSON implements json.Marshaler.
func (m Moment) MarshalJSON() ([]byte, error) {
	if m.IsZero() {
		return []byte("null"), nil
	}
	return jsonl.AppendString(nil, format.FormatTime(m.Time)), nil
}

// A Cut describes how much of a text was omitted at its end.
type Cut struct {
	Characters int `json:"characters"`
	Lines      int `json:"lines"` // line breaks in the omitted part
}

// cut returns a text truncated to most characters, and the omitted amount, or
// nil. 0 means no limit. The result does not keep the whole text alive.
func cut(s string, most int) (Text, *Cut) {
	if most <= 0 || len(s) <= most {
		return Text(s), nil
	}
	end := 0
	for range most {
		if end == len(s) {
			return Text(s), nil
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	if end == len(s) {
		return Text(s), nil
	}
	rest := s[end:]
	return Text(strings.Clone(s[:end])), &Cut{utf8.RuneCountInString(rest), strings.Count(rest, "\n")}
}
