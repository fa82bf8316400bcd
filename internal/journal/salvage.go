package journal

import (
	"bytes"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// effort is the number of times a line may be read in search of records. A
// hostile line could otherwise cost the square of its length.
const effort = 16

var objectStart = []byte(`{"`)

// Records finds the complete records in a line that is not JSON: records
// written one after the other without a line ending, and those after a torn one
// (pitfall 4). They are returned in order.
func Records(line []byte) []jsonl.Span {
	var spans [keyCount]jsonl.Span
	var found []jsonl.Span
	budget := effort * len(line)
	cut := 0 // anything that starts before it is inside a truncated object
	for at := 0; at < len(line) && budget > 0; {
		shape, fault := recordMembers.Scan(line[at:], spans[:])
		end := at + fault // the start of something else after a complete object
		if shape == jsonl.Object {
			end = len(line)
		}
		budget -= end - at
		if end > at && isRecord(line[at:end], spans[:], at < cut) {
			found = append(found, jsonl.Span{Start: at, End: end})
			at = end
			continue
		}
		// A record that follows one that was cut off inside a string starts
		// just before the fault: its brace and its quote seem to end that
		// string.
		cut = max(cut, end-len(objectStart))
		next := bytes.Index(line[at+1:], objectStart)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return found
}

// FirstRecord returns the first complete record in a line, whatever else the
// line contains.
func FirstRecord(line []byte) ([]byte, bool) {
	line = bytes.Trim(line, "\x00")
	if jsonl.KindOf(line) == '{' && jsonl.Valid(line) {
		return line, true
	}
	records := Records(line)
	if len(records) == 0 {
		return nil, false
	}
	return records[0].Of(line), true
}

// isRecord reports whether data is an object that can be a line of its own. A
// line that was cut off after a nested object, such as a content block, also
// ends with an object; but a block has no time, which every record has. Data of
// extensions may have one, so a nested object must have a type and an id as
// well: it can be a record only if the line before it was cut off where a value
// was expected.
func isRecord(data []byte, spans []jsonl.Span, nested bool) bool {
	shape, _ := recordMembers.Scan(data, spans)
	has := func(key int) bool {
		_, ok := jsonl.Text(spans[key].Of(data))
		return ok
	}
	return shape == jsonl.Object && has(keyTime) && (!nested || has(keyType) && has(keyID))
}
