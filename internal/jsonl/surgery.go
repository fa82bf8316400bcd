package jsonl

import "bytes"

// The functions of this file return their argument if it is not a valid object,
// as a copy if they promise one.

// Set returns obj with value as the value of the last member with that name, or
// with a new member at the end if there is none. value must be valid JSON and
// is copied unchanged; all other bytes stay. The result never shares memory
// with obj.
func Set(obj []byte, name string, value []byte) []byte {
	if !isObject(obj) {
		return bytes.Clone(obj)
	}
	var old Span
	var end int // of the last value
	for m := range members(obj) {
		if sameName(m.key.Of(obj), name) {
			old = m.value
		}
		end = m.value.End
	}
	if old.Present() {
		return splice(obj, old, value)
	}
	added := make([]byte, 0, len(name)+len(value)+4)
	if end > 0 {
		added = append(added, ',')
	} else {
		end = skipSpace(obj, 0) + 1
	}
	added = append(AppendString(added, name), ':')
	return splice(obj, Span{end, end}, append(added, value...))
}

// SetIn returns obj with value in place of an existing member, found by path
// through nested objects: SetIn(entry, v, "message", "role"). If the member
// does not exist, it returns obj unchanged and false.
func SetIn(obj, value []byte, path ...string) ([]byte, bool) {
	if len(path) == 0 || !isObject(obj) {
		return obj, false
	}
	at := Span{0, len(obj)}
	for _, name := range path {
		var found Span
		for m := range members(at.Of(obj)) {
			if sameName(m.key.Of(at.Of(obj)), name) {
				found = m.value
			}
		}
		if !found.Present() {
			return obj, false
		}
		at = Span{at.Start + found.Start, at.Start + found.End}
	}
	return splice(obj, at, value), true
}

// Delete returns obj without the members of that name. With each of them it
// removes one comma, and the white space between that comma and the member. The
// result never shares memory with obj.
func Delete(obj []byte, name string) []byte {
	if !isObject(obj) {
		return bytes.Clone(obj)
	}
	out := make([]byte, 0, len(obj))
	copied := 0      // obj[:copied] is in out or deleted
	kept := false    // a member was kept
	leading := false // the last member seen was deleted, and none was kept before it
	end := 0         // of the member before
	for m := range members(obj) {
		if leading {
			copied = m.key.Start // the comma after a leading member is removed with it
			leading = false
		}
		switch {
		case !sameName(m.key.Of(obj), name):
			kept = true
		case kept: // the comma before it is removed with it
			comma := skipSpace(obj, end)
			out = append(out, obj[copied:comma]...)
			copied = m.value.End
		default:
			out = append(out, obj[copied:m.key.Start]...)
			copied = m.value.End
			leading = true
		}
		end = m.value.End
	}
	return append(out, obj[copied:]...)
}

func isObject(b []byte) bool { return KindOf(b) == '{' && Valid(b) }

// splice returns a copy of b with the bytes at s replaced.
func splice(b []byte, s Span, with []byte) []byte {
	out := make([]byte, 0, len(b)-(s.End-s.Start)+len(with))
	out = append(out, b[:s.Start]...)
	out = append(out, with...)
	return append(out, b[s.End:]...)
}
