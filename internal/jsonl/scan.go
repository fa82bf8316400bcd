package jsonl

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A Shape classifies a text.
type Shape uint8

const (
	Invalid Shape = iota // not JSON
	Object               // an object
	Other                // a valid JSON value that is not an object
)

// maxKeys is the maximum number of names in a Keys: one bit of a word for each.
const maxKeys = 32

// longName is the length from which on names share one entry of Keys.byLength.
const longName = 31

// Keys is a prepared set of member names to look up. It is not changed after
// NewKeys, so it is safe for concurrent use.
type Keys struct {
	names []string
	usual []usualName
	// byLength has bit i set at the length of names[i], so that a member name
	// of another length is rejected without a comparison.
	byLength [longName + 1]uint32
}

// NewKeys prepares a set of at most 32 names. It panics if there are more: sets
// are written in source code, not read from input. Give the names in the order
// in which files usually contain them, because that order is tried first.
func NewKeys(names ...string) *Keys {
	if len(names) > maxKeys {
		panic("jsonl: more than 32 keys")
	}
	k := &Keys{names: slices.Clone(names)}
	for i, name := range names {
		k.usual = append(k.usual, newUsualName(name))
		k.byLength[min(len(name), longName)] |= 1 << i
	}
	return k
}

// A usualName is a name as JavaScript writes it, with quotes, in a form that is
// compared without a loop.
type usualName struct {
	size int // 0 if the name is too long and not usable
	text [2]uint64
	mask [2]uint64 // the bits of text that count
}

func newUsualName(name string) usualName {
	var text, mask [16]byte
	quoted := AppendString(nil, name)
	if len(quoted) > len(text) {
		return usualName{}
	}
	for i, c := range quoted {
		text[i], mask[i] = c, 0xFF
	}
	words := func(b [16]byte) [2]uint64 {
		return [2]uint64{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
	}
	return usualName{len(quoted), words(text), words(mask)}
}

// is reports whether b[i:end] is the name. It may miss it near the end of b.
func (u *usualName) is(b []byte, i, end int) bool {
	if end-i != u.size || len(b)-i < 16 {
		return false
	}
	first, second := binary.LittleEndian.Uint64(b[i:]), binary.LittleEndian.Uint64(b[i+8:])
	return (first^u.text[0])&u.mask[0]|(second^u.text[1])&u.mask[1] == 0
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
	spans = spans[:len(k.names)]
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
	i = skipSpace(b, i)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	i, expected := k.scanUsual(t, b, i, spans)
	for {
		nameEnd := t.skipKey(b, i)
		if nameEnd < 0 {
			return nameEnd
		}
		found := expected
		if expected >= len(k.usual) || !k.usual[expected].is(b, i, nameEnd) {
			found = k.index(b[i:nameEnd])
		}
		start := nameEnd + 1
		if start >= len(b) || b[nameEnd] != ':' || b[start] <= ' ' {
			if start = skipColon(b, nameEnd); start < 0 {
				return start
			}
		}
		var end int
		if start < len(b) && b[start] == '"' {
			end = t.skipString(b)
		} else {
			end = t.skipValue(b, start)
		}
		if end < 0 {
			return end
		}
		if found >= 0 {
			spans[found] = Span{start, end}
			expected = found + 1
		}
		i = end + 1
		if i >= len(b) || b[end] != ',' || b[i] <= ' ' {
			var more bool
			if i, more = skipComma(b, end); !more {
				return i
			}
		}
	}
}

// scanUsual reads the members from b[i] on as long as they are the keys in
// their usual order, with strings as values and no white space. It returns
// where it stopped, at the start of another member, and the key that is
// expected there. It reports no faults.
func (k *Keys) scanUsual(t *text, b []byte, i int, spans []Span) (next, expected int) {
	if i >= len(b) || b[i] != '"' || t.findEnds(b) < 0 {
		return i, 0
	}
	for expected := range k.usual {
		if t.next+1 >= t.count {
			return i, expected
		}
		nameEnd, end := t.end(t.next), t.end(t.next+1)
		if end+2 > len(b) || string(b[nameEnd:nameEnd+2]) != `:"` || string(b[end:end+2]) != `,"` ||
			!k.usual[expected].is(b, i, nameEnd) {
			return i, expected
		}
		spans[expected] = Span{nameEnd + 1, end}
		t.next += 2
		i = end + 1
	}
	return i, len(k.usual)
}

// index returns the index of the key that the raw name, with its quotes,
// spells, or -1.
func (k *Keys) index(raw []byte) int {
	if bytes.IndexByte(raw, '\\') >= 0 {
		return slices.IndexFunc(k.names, func(name string) bool { return sameName(raw, name) })
	}
	name := raw[1 : len(raw)-1]
	for set := k.byLength[min(len(name), longName)]; set != 0; set &= set - 1 {
		i := bits.TrailingZeros32(set)
		if k.names[i] == string(name) {
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
