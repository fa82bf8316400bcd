package doctor_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/store/memstore"
)

// Few entries with few ids, linked at random, so that every kind of bad link meets every
// other: what can be repaired is, and nothing remains that is an error without a repair.
func TestTangledLinks(t *testing.T) {
	ids := []string{`"a"`, `"b"`, `"c"`}
	parents := append([]string{"null"}, ids...)
	pick := func(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }
	name := filepath.Join(t.TempDir(), "session.jsonl")
	seeds := uint64(4000)
	if testing.Short() {
		seeds = 400
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		text.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n")
		for i := range 1 + r.IntN(5) {
			id, parent := pick(r, ids), pick(r, parents)
			what := []string{
				`"type":"message","message":{"role":"user","content":"x","timestamp":1}`, `"type":"label","targetId":` + pick(r, ids) + `,"label":"l"`,
				`"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"bash","arguments":{}}],"timestamp":1}`,
				`"type":"message","message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[],"timestamp":1}`,
				`"type":"branch_summary","fromId":` + pick(r, ids) + `,"summary":"s"`,
				`"type":"custom","customType":"x","data":{}`, `"type":"session_info","name":"n"`,
				`"type":"compaction","summary":"s","firstKeptEntryId":` + pick(r, ids) + `,"tokensBefore":1`,
			}[r.IntN(8)]
			fmt.Fprintf(&text, `{"id":%s,"parentId":%s,"timestamp":"2026-02-03T10:00:0%d.000Z",%s}`+"\n", id, parent, i+1, what)
		}
		d := damaged{t: t, seed: seed, name: name, data: []byte(text.String()), opt: quiet}
		d.opt.Store = memstore.New()
		d.test()
		after, err := doctor.Check(t.Context(), name, d.opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range after.Findings {
			if f.Severity >= doctor.Warning && f.Code != doctor.HiddenHistory { // nothing to repair
				d.errorf("after the repair: %v", f)
			}
		}
		if t.Failed() {
			t.Logf("%s", text.String())
			return
		}
	}
}

// Two entries of one id on one branch, and an edit that names it: where pi would hang,
// because the last one is its own parent, the earlier one gets an id of its own.
func TestEditedEntryThatNamesItself(t *testing.T) {
	const text = `{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"one","timestamp":1}}
{"type":"message","id":"aaaa0001","parentId":"aaaa0001","timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"user","content":"two","timestamp":2}}
{"type":"context_edit","id":"aaaa0003","parentId":"aaaa0001","timestamp":"2026-02-03T10:00:03.000Z","targetId":"aaaa0001","replacement":null}
`
	d := damaged{t: t, name: filepath.Join(t.TempDir(), "session.jsonl"), data: []byte(text), opt: quiet}
	d.opt.Store = memstore.New()
	out, err := doctor.Check(t.Context(), write(t, "", d.data, 0), quiet)
	if err != nil || out.Fixable() != 1 {
		t.Fatalf("Check = %v, %v; want one finding that can be repaired", out, err)
	}
	d.test()
	if after, err := doctor.Check(t.Context(), d.name, d.opt); err != nil || len(after.Findings) > 0 {
		t.Errorf("after the repair: %v, %v", after, err)
	}
}
