package catalog

import (
	"cmp"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// intMember returns the value of a numeric member, truncated to an integer.
func intMember(obj []byte, name string) (int64, bool) {
	raw, _ := jsonl.Lookup(obj, name)
	return jsonl.Truncated(raw)
}

// v4Header reads the first line of a file of version 4 or later. It is the only
// line of such a file that pith understands.
func v4Header(line []byte) *format.Header {
	h := &format.Header{
		ID: jsonl.LookupString(line, "id"), Cwd: jsonl.LookupString(line, "cwd"),
		ParentSession: jsonl.LookupString(line, "legacyParentSessionPath"),
	}
	h.ParentSession = cmp.Or(h.ParentSession, jsonl.LookupString(line, "parentSessionId"))
	if v, ok := intMember(line, "v"); ok {
		h.Version = int(v)
	}
	if ms, ok := intMember(line, "createdAt"); ok {
		if t, ok := dateOf(ms); ok {
			h.Timestamp = format.FormatTime(t)
		}
	}
	return h
}
