package transcript_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/transcript"
)

// FuzzContext takes whole session files: building never fails on what could be
// read, what is built is JSON, and what is repaired has no problem.
func FuzzContext(f *testing.F) {
	var cases []contextCase
	readVectors(f, "context.json", &cases)
	if len(cases) == 0 {
		f.Fatal("no seeds: a fuzz target without a corpus tests nothing")
	}
	for _, c := range cases {
		if len(c.File) < 8<<10 {
			f.Add([]byte(c.File))
		}
	}
	const header = `{"type":"session","version":3,"id":"s"}` + "\n"
	for _, lines := range [][]string{
		{`{"type":"message"}`, `{"type":"message","message":null}`, `{"type":"message","message":{}}`, `{"type":"compaction"}`},
		{`{"type":"compaction","summary":7,"firstKeptEntryId":{},"systemMessage":"x"}`, `{"type":"custom_message"}`},
		{`{"type":"context_edit","id":"a","targetId":"a","replacement":{"content":7}}`, `{"type":"branch_summary","summary":[]}`},
		{`{"type":"message","id":"a","message":{"role":"assistant","content":{"a":[1]}}}`, `{"type":"context_edit","targetId":"a","replacement":{}}`},
		{`{"type":"message","message":` + calling("length", "1", "1", "") + `}`, `{"type":"message","message":` + result("1") + `}`},
		{`{"type":"message","message":{"role":"user","content":"\ud83d"}}`, `{"type":"model_change","model":"/"}`, `{"type":"reset_boundary"}`},
		{`{"type":"message","message":{"role":"system","sections":{"a":null},"toolsAdded":[null],"toolsRemoved":[{}]}}`},
	} {
		f.Add([]byte(header + strings.Join(lines, "\n") + "\n"))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		table, err := journal.Scan(t.Context(), bytes.NewReader(log), int64(len(log)))
		if err != nil {
			return
		}
		plan, msgs := collect(t, wholePath(log, table))
		for _, n := range plan.Notes {
			_ = n.String()
		}
		for _, m := range msgs {
			if !jsonl.Valid(m.Raw) {
				t.Errorf("the context of %q holds %q, which is not JSON", log, m.Raw)
			}
			if out, ok := transcript.ForModel(m.Raw); ok && !jsonl.Valid(out) {
				t.Errorf("ForModel(%q) = %q, which is not JSON", m.Raw, out)
			}
		}
		checkRepair(t, msgs)
		if system, ok := currentSystem(msgs); ok && !jsonl.Valid(system) {
			t.Errorf("currentSystem = %q, which is not JSON", system)
		}
	})
}

// FuzzRepair takes single messages, one a line, that need not be JSON.
func FuzzRepair(f *testing.F) {
	for _, lines := range [][]string{
		{calling("toolUse", "1", "2"), result("2"), result("1")},
		{result("1"), calling("toolUse", "1"), calling("toolUse", "1"), result("1"), result("1")},
		{`{"role":"assistant","content":[{"type":"toolCall","id":"\udc00","name":"\ud800"}]}`, `{"role":"tool`},
		{"{\"role\":\"user\",\"content\":\"\xff\\u", `{"role":"user"}`},
	} {
		f.Add([]byte(strings.Join(lines, "\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		msgs := messages(strings.Split(string(data), "\n")...)
		checkRepair(t, msgs)
		for _, m := range msgs {
			transcript.ForModel(m.Raw)
		}
		currentSystem(msgs)
	})
}
