package envelope

import (
	"bytes"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// effort is how many times a line may be read in search of records. A hostile
// line could otherwise cost the square of its length.
const effort = 16

var objectStart = []byte(`{"`)

// Records finds the whole records on a line that is not JSON: records written
// one behind the other without a line end, and those behind a torn one
// (pitfall 4). They come in the order in which they stand.
func Records(line []byte) []jsonl.Span {
	var spans [keyCount]jsonl.Span
	var found []jsonl.Span
	budget := effort * len(line)
	cut := 0 // what begins before it stands inside an object that was cut off
	for at := 0; at < len(line) && budget > 0; {
		shape, fault := keys.Scan(line[at:], spans[:])
		end := at + fault // where something else begins behind a whole object
		if shape == jsonl.Object {
			end = len(line)
		}
		budget -= end - at
		if end > at && isRecord(line[at:end], spans[:], at < cut) {
			found = append(found, jsonl.Span{Start: at, End: end})
			at = end
			continue
		}
		// A record behind one that was cut off inside a string begins just before
		// the fault: its brace and its quote seem to end that string.
		cut = max(cut, end-len(objectStart))
		next := bytes.Index(line[at+1:], objectStart)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return found
}

// FirstRecord is the first whole record on a line, whatever else is on it.
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
// line that was cut off behind a nested object, such as a content block, ends
// with an object too; but a block has no time, which every record has. What
// extensions keep may have one, so a nested object must have a type and an id as
// well: it can be a record only if the line before it was cut off where a value
// was due.
func isRecord(data []byte, spans []jsonl.Span, nested bool) bool {
	shape, _ := keys.Scan(data, spans)
	has := func(key int) bool {
		_, ok := Text(spans[key].Of(data))
		return ok
	}
	return shape == jsonl.Object && has(keyTime) && (!nested || has(keyType) && has(keyID))
}

// salvage takes what is whole on a line that is not JSON: several records on
// one line, or one between NUL bytes (pitfall 6).
func (b *block) salvage(data []byte, off int64, line int) bool {
	inner := bytes.Trim(data, "\x00")
	records := Records(inner)
	if len(records) == 0 {
		return false
	}
	start := off + int64(bytes.IndexByte(data, inner[0]))
	first := records[0]
	switch {
	case first.Start > 0:
		b.fault(FaultFused, line, start+int64(first.Start), len(b.recs))
	case first.End < len(inner):
		b.fault(FaultFused, line, start+int64(first.End), len(b.recs))
	default:
		b.fault(FaultPadded, line, off, len(b.recs))
	}
	for _, at := range records {
		record := at.Of(inner)
		b.found.scan(record)
		b.object(record, start+int64(at.Start), line)
	}
	return true
}
