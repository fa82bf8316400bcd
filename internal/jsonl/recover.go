package jsonl

import "bytes"

// recoverEffort limits RecoverSuffix: it looks at no more than this many times
// the bytes of the line.
const recoverEffort = 32

var typeKey = NewKeys("type")

// RecoverSuffix looks for a complete JSON object at the end of a line that begins
// with a torn record, as when a process died while it wrote and the next one
// appended without a new line. start is the earliest offset above 0 from where
// the line is a valid object with a string member "type". ok is false when there
// is none.
//
// A record that was torn just behind a nested object ends like that too, so the
// caller must check that what was found is a record and not a piece of one.
//
// Every object of the torn part is a candidate and must be read to be refused,
// so a line of deeply nested objects would take quadratic time. The search gives
// up, with ok false, after it has read 32 times the length of the line; real
// records, which nest a few levels deep, need a fifth of that at most.
func RecoverSuffix(b []byte) (start int, ok bool) {
	end := len(b)
	for end > 0 && isSpace(b[end-1]) {
		end--
	}
	if end == 0 || b[end-1] != '}' {
		return 0, false
	}
	var spans [1]Span
	effort := recoverEffort * len(b)
	for start = 1; start < len(b) && effort > 0; start++ {
		next := bytes.Index(b[start:], []byte(`{"`))
		if next < 0 {
			break
		}
		start += next
		shape, fault := typeKey.Scan(b[start:], spans[:])
		if shape == Object && KindOf(spans[0].Of(b[start:])) == '"' {
			return start, true
		}
		if shape == Object {
			fault = len(b) - start
		}
		effort -= fault + 1
	}
	return 0, false
}
