package doctor_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

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

// pitfall 19: characters that cannot be sent are replaced as JavaScript decodes
// them, and no other byte changes.
func TestTextAfterRepair(t *testing.T) {
	tests := map[string]string{
		`a\ud83db`: "a\ufffdb", `\uDE00`: "\ufffd", `\ud83d\ud83d\ude00`: "\ufffd" + `\ud83d\ude00`, `\\ud83d\ud83d`: `\\ud83d` + "\ufffd",
		"\xff\xfe": "\ufffd\ufffd", "\xe6\x97": "\ufffd", "\xe6\x97\xa5": "\u65e5", "\xf0\x9f\x98": "\ufffd", "\xf0\x9f\x98x": "\ufffdx",
		"\xe0\x80": "\ufffd\ufffd", "\xed\xa0\x80": "\ufffd\ufffd\ufffd", "\xf4\x90\x80": "\ufffd\ufffd\ufffd", "\xc3": "\ufffd", "\xc0\xaf": "\ufffd\ufffd",
		"\xf1\x80": "\ufffd", "\xf5\x80": "\ufffd\ufffd", "\x80": "\ufffd", "\xff" + `\ud83d`: "\ufffd\ufffd",
	}
	for text, want := range tests {
		line := func(text string) string {
			return strings.Replace(message("a", ""), `"content":"a"`, `"content":"`+text+`"`, 1)
		}
		if got := fix(t, session(line(text)), quiet); !bytes.Equal(got, session(line(want))) {
			t.Errorf("Fix of the text %q gives %q; want %q in it", text, got, want)
		}
	}
}

// One kind of text alone is repaired if the other is not asked for.
func TestTextOnly(t *testing.T) {
	data := session(strings.Replace(message("a", ""), `"content":"a"`, `"content":"`+"\xff"+`\ud83d"`, 1))
	o := quiet
	o.Only = []doctor.Code{doctor.LoneHalf}
	if got, want := fix(t, data, o), bytes.Replace(data, []byte(`\ud83d`), []byte("\ufffd"), 1); !bytes.Equal(got, want) {
		t.Errorf("Fix of %s alone gives %q; want %q", doctor.LoneHalf, got, want)
	}
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

// A tool may still be running in a file that was just written: its call is left
// open. A call that the conversation passed is not.
func TestCallsAtWork(t *testing.T) {
	working, past := calling("b", "a", "1"), message("c", "b")
	tests := map[string]struct {
		lines   []string
		age     time.Duration
		fixable int
	}{
		"just now":            {[]string{message("a", ""), working}, time.Second, 0},
		"yesterday":           {[]string{message("a", ""), working}, 24 * time.Hour, 1},
		"of tomorrow":         {[]string{message("a", ""), working}, -24 * time.Hour, 1},
		"just now, went past": {[]string{message("a", ""), working, past}, time.Second, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := write(t, "", session(tt.lines...), 0)
			written := time.Now().Add(-tt.age)
			if err := os.Chtimes(path, written, written); err != nil {
				t.Fatal(err)
			}
			r := check(t, path, doctor.Options{})
			found := has(r, doctor.DanglingCall)
			if len(found) != 1 || r.Fixable() != tt.fixable || found[0].Means == "" {
				t.Errorf("Check = %+v; want one open call, fixable: %d", r.Findings, tt.fixable)
			}
		})
	}
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

// After a repair there is nothing left that a context must be repaired for before
// it is sent, but for the order of results.
func TestContextsAfterRepair(t *testing.T) {
	concerned := map[doctor.Code]bool{
		doctor.OrphanResult: true, doctor.DuplicateResult: true, doctor.DanglingCall: true, doctor.LoneHalf: true, doctor.NotUTF8: true,
	}
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
