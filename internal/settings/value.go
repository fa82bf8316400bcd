package settings

import (
	"bytes"
	"iter"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A value is one of a document, and where it stands.
type value struct {
	raw []byte
	at  int // offset in the file
}

// members yields the members of an object with their names: of several with one
// name the last counts, so it must be taken last.
func (v value) members() iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		pos := 0
		for name, raw := range jsonl.Members(v.raw) {
			// Between one member and the next, and between name and value, stand
			// white space and one sign, which neither begins with.
			pos += bytes.Index(v.raw[pos:], name) + len(name)
			pos += bytes.Index(v.raw[pos:], raw)
			key, _ := jsonl.String(name)
			if !yield(key, value{raw, v.at + pos}) {
				return
			}
			pos += len(raw)
		}
	}
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
