package jsonl

import "bytes"

// RecoverSuffix reads no more than recoverEffort times the bytes of the line, where
// a try counts as recoverTry bytes at least.
const (
	recoverEffort = 32
	recoverTry    = 128
)

var typeKey = NewKeys("type")

// RecoverSuffix looks for a complete JSON object at the end of a line that begins
// with a torn record, as when a process died while it wrote and the next one
// appended without a new line. start is the earliest offset above 0 of a brace and
// a quote from where the line is a valid object with a string member "type". ok is
// false when there is none.
//
// A record that was torn just behind a nested object ends like that too, so the
// caller must check that what was found is a record and not a piece of one.
//
// Every object in the torn part is a candidate and must be read to be refused, so
// a line of deeply nested objects would take quadratic time. The search gives up,
// with ok false, when it has read 32 times the length of the line. Real records
// are read about as often as they are nested deep, which is a handful of times.
func RecoverSuffix(b []byte) (start int, ok bool) {
	if end := bytes.TrimRight(b, " \t\r\n"); len(end) == 0 || end[len(end)-1] != '}' {
		return 0, false
	}
	var spans [1]Span
	effort := recoverEffort * (len(b) + recoverTry)
	for start = 1; effort > 0; start++ {
		next := bytes.Index(b[min(start, len(b)):], []byte(`{"`))
		if next < 0 {
			break
		}
		start += next
		line := b[start:]
		shape, fault := typeKey.Scan(line, spans[:])
		if shape == Object && KindOf(spans[0].Of(line)) == '"' {
			return start, true
		}
		if shape == Object {
			fault = len(line)
		}
		effort -= max(fault, recoverTry)
	}
	return 0, false
}
