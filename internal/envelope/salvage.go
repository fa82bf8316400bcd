package envelope

import (
	"bytes"
	"slices"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// maxRecovered is how many records behind a torn one are looked for. Each
// search reads the rest of the line again.
const maxRecovered = 16

// Records finds the whole records on a line that is not JSON: records written
// one behind the other without a line end, and those behind a torn one
// (pitfall 4). They come in the order in which they stand.
func Records(line []byte) []jsonl.Span {
	var spans [keyCount]jsonl.Span
	var found []jsonl.Span
	torn := 0
	for torn < len(line) { // whole records at the beginning: one pass over each
		shape, fault := keys.Scan(line[torn:], spans[:])
		end := torn + fault // where something else begins behind a whole object
		if shape == jsonl.Object {
			end = len(line)
		}
		if !isRecord(line[torn:max(torn, end)], spans[:]) {
			break
		}
		found = append(found, jsonl.Span{Start: torn, End: end})
		torn = end
	}
	whole := len(found)
	for end := len(line); len(found) < whole+maxRecovered; {
		start, ok := jsonl.RecoverSuffix(line[torn:end])
		if !ok || !isRecord(line[torn+start:end], spans[:]) {
			break
		}
		found = append(found, jsonl.Span{Start: torn + start, End: end})
		end = torn + start
	}
	slices.Reverse(found[whole:])
	return found
}

// isRecord reports whether data is an object that can be a line of its own. A
// line that was cut off behind a nested object, such as a content block, ends
// with an object too; but a block has no time, which every record has.
func isRecord(data []byte, spans []jsonl.Span) bool {
	shape, _ := keys.Scan(data, spans)
	if shape != jsonl.Object {
		return false
	}
	_, timed := text(spans[keyTime].Of(data))
	return timed
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
		keys.Scan(record, b.spans[:])
		b.object(record, start+int64(at.Start), line)
	}
	return true
}
