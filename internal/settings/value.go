package settings

import (
	"bytes"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A value is a value of a document, with its position.
type value struct {
	raw []byte
	at  int // offset in the file
}

// last returns the members of an object by name; of several with one name the
// last.
func (v value) last() map[string]value {
	out := map[string]value{}
	pos := 0
	for name, raw := range jsonl.Members(v.raw) {
		// Members, names and values are separated by white space and one
		// punctuation mark, with which none of them starts.
		pos += bytes.Index(v.raw[pos:], name) + len(name)
		pos += bytes.Index(v.raw[pos:], raw)
		key, _ := jsonl.String(name)
		out[key] = value{raw, v.at + pos}
		pos += len(raw)
	}
	return out
}

func (v value) isNull() bool   { return jsonl.IsNull(v.raw) }
func (v value) isObject() bool { return jsonl.KindOf(v.raw) == '{' }

// shown returns a value as a warning quotes it.
func (v value) shown() string {
	const limit = 60
	raw := jsonl.Decoded(v.raw)
	if len(raw) <= limit {
		return string(raw)
	}
	return string(bytes.ToValidUTF8(raw[:limit], nil)) + "…"
}
