package jsonl

import "iter"

// Lookup returns the raw value of the last member of obj with the given name.
// obj must be valid JSON or empty; only an object has members. The result
// shares memory with obj.
func Lookup(obj []byte, name string) ([]byte, bool) {
	var last Span
	for m := range members(obj) {
		if sameName(m.key.Of(obj), name) {
			last = m.value
		}
	}
	return last.Of(obj), last.Present()
}

// LookupString returns the text of the last member of obj with the given name,
// or "" if there is none or it is not a string. obj is as for Lookup.
func LookupString(obj []byte, name string) string {
	raw, _ := Lookup(obj, name)
	s, _ := String(raw)
	return s
}

// Members yields the raw name, with its quotes, and the raw value of each
// member of obj, in order. obj is as for Lookup; of invalid JSON the members
// before the first fault are yielded. The sequence can be ranged over again,
// and its values share memory with obj.
func Members(obj []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		for m := range members(obj) {
			if !yield(m.key.Of(obj), m.value.Of(obj)) {
				return
			}
		}
	}
}

// Elements yields the raw elements of arr, in order, in the same way as
// Members. Only a list has elements.
func Elements(arr []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var t text
		i := skipSpace(arr, 0)
		if i >= len(arr) || arr[i] != '[' {
			return
		}
		for more := true; more; {
			start := skipSpace(arr, i+1)
			end := t.skipValue(arr, start)
			if end < 0 || !yield(arr[start:end:end]) {
				return
			}
			i = skipSpace(arr, end)
			more = i < len(arr) && arr[i] == ','
		}
	}
}

// A member is the position of one member of an object.
type member struct{ key, value Span }

// members yields the members of obj until the end or the first fault.
func members(obj []byte) iter.Seq[member] {
	return func(yield func(member) bool) {
		var t text
		i := skipSpace(obj, 0)
		if i >= len(obj) || obj[i] != '{' {
			return
		}
		t.skipMembers(obj, i+1, func(key Span, start int) (end int, more bool) {
			end = t.skipValue(obj, start)
			return end, end >= 0 && yield(member{key, Span{start, end}})
		})
	}
}

// KindOf classifies raw by its first byte that is not white space: '{', '[',
// '"', 't', 'f', 'n', '0' for any number, or 0 for anything that is not JSON.
func KindOf(raw []byte) byte {
	i := skipSpace(raw, 0)
	if i == len(raw) {
		return 0
	}
	switch c := raw[i]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

// Bool returns the value of true or false. ok is false for anything else.
func Bool(raw []byte) (value, ok bool) {
	switch string(trimSpace(raw)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// IsNull reports whether raw is null.
func IsNull(raw []byte) bool { return string(trimSpace(raw)) == "null" }

// MostNested is the maximum nesting of values that callers may write. pi can
// read far deeper values but cannot copy them to a branch.
const MostNested = 1000

// TooDeep reports whether a JSON text is nested deeper than that.
func TooDeep(text []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString:
			if c == '\\' {
				i++
			}
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{', c == '[':
			if depth++; depth > MostNested {
				return true
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return false
}
