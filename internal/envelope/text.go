package envelope

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Text returns the content of a raw JSON string; ok is false for anything else.
func Text(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	inner := raw[1 : len(raw)-1]
	if isPlain(inner) || bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner, true
	}
	s, ok := jsonl.String(raw)
	return []byte(s), ok
}

// TextOf is like Text, but returns nil for anything but a string.
func TextOf(raw []byte) []byte {
	text, _ := Text(raw)
	return text
}

// isPlain reports whether text is ASCII without backslashes.
func isPlain(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c == '\\' || c >= utf8.RuneSelf })
}

var rolePrefix = []byte(`{"role":"`)

// RoleName returns the role of a raw message, as bytes of the message if
// possible. Nearly every writer puts it first, and then nothing more is read:
// of two roles, which no known writer produces, it may return the first,
// although the last one counts (F11). If that matters, use [Entry.Role] or
// decode the message.
func RoleName(msg []byte) []byte {
	if rest, ok := bytes.CutPrefix(msg, rolePrefix); ok {
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
	name, _ := Text(raw)
	return name
}
