package doctor_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/tests/corpus"
)

// fix repairs a session and returns the repaired file.
func fix(t *testing.T, data []byte, o doctor.Options) []byte {
	t.Helper()
	path := write(t, "", data, 0)
	if _, err := doctor.Fix(t.Context(), path, o); err != nil {
		t.Fatalf("Fix: %v", err)
	}
	return readFile(t, path)
}

// A fork has the labels of its source at the end, with the times at which they
// were set: that is not a fault.
func TestTimesOfLabels(t *testing.T) {
	data := append(timed("-ab", []string{"5", "6", "7"}),
		`{"type":"label","id":"l","parentId":"c","timestamp":"2026-02-03T10:05:30.000Z","targetId":"a","label":"x"}`+"\n"...)
	if r := check(t, write(t, "", data, 0), quiet); len(r.Findings) > 0 {
		t.Errorf("Check = %v; want nothing", r.Findings)
	}
}

// timed is a session of the entries a, b, … with these parents and times.
func timed(parents string, times []string) []byte {
	var lines []string
	for i, at := range times {
		parent := strings.Trim(parents[i:i+1], "-")
		stamp := fmt.Sprintf("2026-02-03T10:%02s:01.000Z", at)
		if at == "-" {
			stamp = "at noon"
		}
		lines = append(lines, strings.Replace(message(string(rune('a'+i)), parent), "2026-02-03T10:00:01.000Z", stamp, 1))
	}
	return session(lines...)
}

// Models that restart the numbering of calls in each turn use one ID many
// times: every result still has its call.
func TestCallIDsUsedAgain(t *testing.T) {
	lines, parent := []string{message("a", "")}, "a"
	for i := range 100 {
		call, result := fmt.Sprint("c", i), fmt.Sprint("r", i)
		lines = append(lines, calling(call, parent, "call_0"), answering(result, call, "call_0"))
		parent = result
	}
	if r := check(t, write(t, "", session(lines...), 0), quiet); len(r.Findings) > 0 {
		t.Errorf("Check = %v; want nothing", r.Findings)
	}
}

// Each kind can be repaired alone, whatever else is wrong with the file.
func TestEachKindAlone(t *testing.T) {
	odd := []byte("{\"type\":\"message\",\"id\":\"zz\",\"parentId\":\"nowhere\",\"timestamp\":\"never\",\"message\":{\"role\":\"toolResult\"," +
		`"toolCallId":"\ud83d","toolName":"` + "\xff" + `","content":[{"type":"text","text":"\ude00"}]}}` + "\n{}{}\n")
	for _, f := range someKinds() {
		if f.Stays || f.Code == "mode" {
			continue
		}
		for _, data := range [][]byte{f.Bytes, append(bytes.Clone(f.Bytes), odd...)} {
			path := write(t, f.File, data, 0)
			o := quiet
			o.Only = []doctor.Code{doctor.Code(f.Code)}
			out, err := doctor.Fix(t.Context(), path, o)
			if err != nil {
				t.Errorf("Fix of %s alone: %v; the file is\n%.3000s", f.Code, err, data)
				continue
			}
			if n := out.After.Fixable(); n > 0 {
				t.Errorf("after Fix of %s alone: %v", f.Code, out.After.Findings)
			}
		}
	}
}

// After a repair of results there is nothing left that a context must be repaired
// for before it is sent, but for the order of results.
func TestContextsAfterRepair(t *testing.T) {
	concerned := map[doctor.Code]bool{doctor.OrphanResult: true, doctor.DuplicateResult: true}
	for _, f := range corpus.DamageKinds() {
		if !concerned[doctor.Code(f.Code)] {
			continue
		}
		path := write(t, f.File, f.Bytes, 0)
		if _, err := doctor.Fix(t.Context(), path, quiet); err != nil {
			t.Fatal(err)
		}
		s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range s.View().Entries() {
			if err != nil {
				t.Fatal(err)
			}
			if kids, err := s.View().Children(e.Head().ID); err != nil || len(kids) > 0 {
				continue // in the middle of a turn calls are open
			}
			c, err := s.View().Context(e.Head().ID)
			if err != nil {
				t.Fatal(err)
			}
			_, changes, err := c.Repaired()
			for _, change := range changes {
				if err != nil || !strings.HasPrefix(change.Text, "moved the result") {
					t.Errorf("%s: the context at %s still needs a repair: %s (%v)", f.Code, e.Head().ID, change.Text, err)
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
