package catalog

import (
	"bytes"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// salvage takes the whole records out of a line that is not JSON, as opening
// the session does (pitfalls 4, 6).
func (f *facts) salvage(line []byte, off int64) {
	inner := bytes.Trim(line, "\x00")
	if len(inner) == 0 {
		return
	}
	off += int64(bytes.IndexByte(line, inner[0]))
	for _, at := range envelope.Records(inner) {
		record := at.Of(inner)
		if shape, _ := entryScanner.Scan(record, f.spans[:]); shape == jsonl.Object {
			f.object(record, off+int64(at.Start))
		}
	}
}
