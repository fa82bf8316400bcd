package settings

import (
	"bytes"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A value is one of a document, and where it stands.
type value struct {
	raw []byte
	at  int // offset in the file
}

// last are the members of an object by their names; of several with one name the
// last.
func (v value) last() map[string]value {
	out := map[string]value{}
	pos := 0
	for name, raw := range jsonl.Members(v.raw) {
		// Between one member and the next, and between name and value, stand white
		// space and one sign, which neither begins with.
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

// shown is a value as a warning quotes it.
func (v value) shown() string {
	const limit = 60
	raw := jsonl.Decoded(v.raw)
	if len(raw) <= limit {
		return string(raw)
	}
	return string(bytes.ToValidUTF8(raw[:limit], nil)) + "…"
}
