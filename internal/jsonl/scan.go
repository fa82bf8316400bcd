package jsonl

import (
	"bytes"
	"slices"
)

// A Shape classifies a text.
type Shape uint8

const (
	Invalid Shape = iota // not JSON
	Object               // an object
	Other                // a valid JSON value that is not an object
)

// Keys is a prepared set of member names to look up. It does not change, so it is
// safe for concurrent use.
type Keys struct {
	names []string
	inner *Keys
	at    int // the key whose value has the members of inner
}

// NewKeys prepares a set of names.
func NewKeys(names ...string) *Keys { return &Keys{names: names, at: -1} }

// With returns k with another set for the members of the value of the i-th key: in
// the same pass, Scan finds them too, if that value is an object. Their spans
// follow those of k. inner must not have another set itself.
func (k *Keys) With(i int, inner *Keys) *Keys { return &Keys{k.names, inner, i} }

// Len returns the number of spans that Scan sets.
func (k *Keys) Len() int {
	if k.inner == nil {
		return len(k.names)
	}
	return len(k.names) + len(k.inner.names)
}

// Scan validates the whole of b as JavaScript's JSON.parse would the decoded
// text. White space around the value (space, tab, CR, LF) is allowed, a byte
// order mark is not. Bytes that are not UTF-8 are accepted inside strings.
//
// If b is an object, spans[i] is set to the raw value, a string with its
// quotes, of the last top-level member whose name is the i-th key. Names that
// contain a backslash are unescaped before they are compared; other names are
// compared byte for byte. spans must have room for all keys and is zeroed
// first.
//
// The second result is -1, or for Invalid the offset of the first wrong byte:
// len(b) if the text ends too early.
//
// Scan does not allocate, except beyond 63 levels of nesting, where it needs
// one bit for each level. Time is linear in the length of b, whatever it
// contains.
func (k *Keys) Scan(b []byte, spans []Span) (Shape, int) {
	spans = spans[:k.Len()]
	clear(spans)
	var t text
	shape := Other
	i := skipSpace(b, 0)
	if i < len(b) && b[i] == '{' {
		shape = Object
		i = k.scanObject(&t, b, i+1, spans)
	} else {
		i = t.skipValue(b, i)
	}
	if i >= 0 {
		if i = skipSpace(b, i); i == len(b) {
			return shape, -1
		}
		i = ^i
	}
	clear(spans)
	return Invalid, ^i
}

// scanObject reads the members of an object from after its brace and returns
// the offset after the closing brace, or ^offset of the fault.
func (k *Keys) scanObject(t *text, b []byte, i int, spans []Span) int {
	return t.skipMembers(b, i, func(key Span, start int) (end int, more bool) {
		found := k.index(key.Of(b))
		if found >= 0 && found == k.at {
			end = k.inner.scanValue(t, b, start, spans[len(k.names):])
		} else {
			end = t.skipValue(b, start)
		}
		if found >= 0 && end >= 0 {
			spans[found] = Span{start, end}
		}
		return end, true
	})
}

// scanValue is like scanObject for any value, and without inner sets.
func (k *Keys) scanValue(t *text, b []byte, i int, spans []Span) int {
	clear(spans) // of an earlier member with the same name
	if i >= len(b) || b[i] != '{' {
		return t.skipValue(b, i)
	}
	return t.skipMembers(b, i+1, func(key Span, start int) (end int, more bool) {
		end = t.skipValue(b, start)
		if found := k.index(key.Of(b)); found >= 0 && end >= 0 {
			spans[found] = Span{start, end}
		}
		return end, true
	})
}

// index returns the index of the key that the raw name, with its quotes,
// spells, or -1.
func (k *Keys) index(raw []byte) int {
	if bytes.IndexByte(raw, '\\') >= 0 {
		return slices.IndexFunc(k.names, func(name string) bool { return sameName(raw, name) })
	}
	for i, name := range k.names {
		if len(raw) == len(name)+2 && string(raw[1:len(raw)-1]) == name {
			return i
		}
	}
	return -1
}

// Check returns the shape of b and, if it is not JSON, the offset of the first
// fault, as Scan does.
func Check(b []byte) (Shape, int) { return noKeys.Scan(b, nil) }

var noKeys = NewKeys()

// Valid reports whether b is one JSON value, with or without white space around
// it. The rules are those of Scan.
func Valid(b []byte) bool {
	var t text
	end := t.skipValue(b, skipSpace(b, 0))
	return end >= 0 && skipSpace(b, end) == len(b)
}
