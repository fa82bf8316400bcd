package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/doctor"
)

// inParts is a file in which repairing the IDs would reveal a message that an
// edit hides, which no repair may do; everything else can be repaired.
const inParts = `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}
{"type":"message","id":"d","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"x","arguments":{}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":1}}
{"type":"message","id":"a","parentId":"b","timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"t1","timestamp":1}}
{"type":"message","id":"a","parentId":"b","timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c0","name":"x","arguments":{}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":1}}
{"type":"compaction","id":"a","parentId":"d","timestamp":"2026-02-03T10:00:03.000Z","summary":"s","firstKeptEntryId":"c","tokensBefore":5}
{"type":"context_edit","id":"d","parentId":"e","timestamp":"2026-02-03T10:00:04.000Z","targetId":"d","replacement":null}
{"type":"message","id":"b","parentId":"e","timestamp":"2026-02-03T10:00:05.000Z","message":{"role":"user","content":"t5","timestamp":1}}
{"type":"compaction","id":"d","parentId":"b","timestamp":"2026-02-03T10:00:06.000Z","summary":"s","firstKeptEntryId":"a","tokensBefore":5}
{"type":"message","id":"c","parentId":"b","timestamp":"2026-02-03T10:00:07.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c0","name":"x","arguments":{}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":1}}
`

// Where a repair as a whole would not hold, the parts that do are made.
func TestPartsThatHoldAreRepaired(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(file, []byte(inParts), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := doctor.Fix(t.Context(), file, doctor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !out.Changed() || len(out.After.Findings) >= len(out.Before.Findings) {
		t.Errorf("Fix left %d of %d findings; want fewer", len(out.After.Findings), len(out.Before.Findings))
	}
}
