package jsonl_test

import (
	"bytes"
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// FuzzScan checks verdict, offset and spans against the reference, and that
// nothing that takes any text panics.
func FuzzScan(f *testing.F) {
	for _, line := range seedLines(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Count(in, []byte("[")) > 9000 || bytes.Count(in, []byte("{")) > 9000 {
			return // encoding/json has a limit of 10,000 levels
		}
		checkScan(t, in)
		for key, value := range jsonl.Members(in) {
			if _, ok := jsonl.String(key); !ok || !jsonl.Valid(value) {
				t.Fatalf("Members(%q) yields %q and %q", in, key, value)
			}
		}
		for value := range jsonl.Elements(in) {
			if !jsonl.Valid(value) {
				t.Fatalf("Elements(%q) yields %q", in, value)
			}
		}
		if compact := jsonl.AppendCompact(nil, in); jsonl.Valid(in) && !jsonl.Valid(compact) {
			t.Fatalf("AppendCompact(%q) = %q", in, compact)
		}
		jsonl.Int(in)
		jsonl.Float(in)
	})
}
