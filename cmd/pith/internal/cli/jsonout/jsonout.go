// Package jsonout is how values of sessions stand in the JSON that commands print.
package jsonout

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// TimeOrNull is a time as the format writes it; null when it is unknown.
func TimeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := format.FormatTime(t)
	return &s
}

// Marshal is a value as JSON on one line, without the escapes that HTML needs.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

// A Text is a string from a session, written as JavaScript writes it: half a
// surrogate pair stays what it is.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) { return jsonl.AppendString(nil, string(t)), nil }

// TextOrNull is null for the empty string.
func TextOrNull(s string) *Text {
	if s == "" {
		return nil
	}
	t := Text(s)
	return &t
}
