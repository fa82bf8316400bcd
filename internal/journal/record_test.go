package journal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// Of several members with one name the last counts (F11), wherever they are and
// however the name is spelled: the table equals decoding.
func TestDuplicateMembers(t *testing.T) {
	const begin = `{"type":"message","id":"a","parentId":"p","timestamp":"2026-02-03T22:52:07.000Z","message":`
	long := strings.Repeat("much text ", 1000)
	tests := map[string]string{
		"one role":                  begin + `{"role":"assistant","content":[]}}`,
		"two roles":                 begin + `{"role":"assistant","role":"user","content":[]}}`,
		"the second far behind":     begin + `{"role":"assistant","content":[{"type":"text","text":"` + long + `"}],"role":"toolResult"}}`,
		"the second is escaped":     begin + `{"role":"assistant","content":"x","\u0072ole":"user"}}`,
		"the second is null":        begin + `{"role":"assistant","content":"x","role":null}}`,
		"the second is elsewhere":   begin + `{"role":"assistant","content":[{"role":"user"}],"usage":{"role":"user"}}}`,
		"with white space":          begin + ` { "role" : "assistant", "role" : "user" } }`,
		"two types":                 `{"type":"message","id":"a","message":{"role":"user"},"type":"custom"}`,
		"the second type is none":   `{"type":"message","id":"a","message":{"role":"user"},"type":5}`,
		"two ids":                   begin + `{"role":"user"},"id":"b"}`,
		"two ids at the beginning":  `{"type":"message","id":"a","id":"b","parentId":"p","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user"}}`,
		"two parents":               begin + `{"role":"user"},"parentId":"q"}`,
		"the second parent is null": begin + `{"role":"user"},"parentId":null}`,
		"two times":                 begin + `{"role":"user"},"timestamp":"2026-02-04T00:00:00.000Z"}`,
		"two messages":              begin + `{"role":"user"},"message":{"role":"assistant"}}`,
		"the second message is no":  begin + `{"role":"user"},"message":"none"}`,
		"two types of a custom one": `{"type":"custom","id":"a","customType":"x","customType":"` + format.LeafCustomType + `"}`,
	}
	for name, line := range tests {
		t.Run(name, func(t *testing.T) {
			decoded, err := format.DecodeEntry([]byte(line))
			if err != nil {
				t.Fatalf("DecodeEntry(%.100q): %v", line, err)
			}
			head, want := decoded.Head(), journal.Of(decoded)
			table := scan(t, header+"\n"+line+"\n")
			if table.Len() != 1 {
				t.Fatalf("%d entries, want 1", table.Len())
			}
			got := table.At(0)
			if got.Kind != want.Kind || got.Role != want.Role || got.Time != want.Time || got.Flags != want.Flags ||
				got.ID != head.ID || got.Parent != head.ParentID {
				t.Errorf("the table has %s; decoded it is %s under %s, time %d, kind %d, role %d, flags %d",
					described(table, 0), head.ID, head.ParentID, want.Time, want.Kind, want.Role, want.Flags)
			}
		})
	}
}

// The short way through a line finds what the long way finds, for every line that
// is nearly a usual one.
func TestUsualLines(t *testing.T) {
	lines := []string{
		entry("0a1b2c3d", "4e5f6071", "hello"),
		entry("a", "", `with \"escapes\" \u0041`) + "\r",
		`{"type":"message","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"x"}],"usage":{"input":1}}}`,
		`{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T22:52:07.000Z","message":{}}`,
	}
	for _, line := range lines {
		if _, ok := journal.ScanUsual([]byte(line)); !ok {
			t.Errorf("ScanUsual(%q) goes the long way", line)
		}
		for i := range len(line) + 1 {
			agree(t, []byte(line[:i]))
			for _, c := range []byte("\"\\{}[]:, x0\x00\t\r\xff") {
				agree(t, slices.Concat([]byte(line[:i]), []byte{c}, []byte(line[i:])))
				if i < len(line) {
					agree(t, slices.Concat([]byte(line[:i]), []byte{c}, []byte(line[i+1:])))
				}
			}
		}
	}
}

func agree(t *testing.T, line []byte) {
	t.Helper()
	got, ok := journal.ScanUsual(line)
	if want := journal.ScanLine(line); ok && got != want {
		t.Errorf("ScanUsual(%q) = %s, want %s", line, got, want)
	}
}

func BenchmarkScan(b *testing.B) {
	var text strings.Builder
	text.WriteString(header + "\n")
	for i := range 2000 {
		text.WriteString(entry(fmt.Sprintf("%08x", i+1), fmt.Sprintf("%08x", i), strings.Repeat("a line of text\\n", 100)) + "\n")
	}
	log := strings.NewReader(text.String())
	b.SetBytes(log.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := journal.Scan(b.Context(), log, log.Size()); err != nil {
			b.Fatal(err)
		}
	}
}
