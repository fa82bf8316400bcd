package catalog

import (
	"bytes"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// salvage takes the whole records out of a line that is not JSON, as opening
// the session does (pitfalls 4, 6).
func (f *facts) salvage(line []byte) {
	inner := bytes.Trim(line, "\x00")
	if len(inner) == 0 {
		return
	}
	for _, at := range envelope.Records(inner) {
		record := at.Of(inner)
		if shape, _ := entryScanner.Scan(record, f.spans[:]); shape == jsonl.Object {
			f.object(record)
		}
	}
}
