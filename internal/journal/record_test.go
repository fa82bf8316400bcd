package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
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
			head := decoded.Head()
			want := journal.Entry{Kind: journal.KindOf(format.TypeOf(decoded)), Time: journal.NoTime}
			if at, ok := head.Time(); ok {
				want.Time = at.UnixMilli()
			}
			var role format.Role
			switch e := decoded.(type) {
			case *format.MessageEntry:
				role = e.Message.Role()
				if content, ok := jsonl.Lookup(e.Message.Raw(), "content"); jsonl.KindOf(e.Message.Raw()) == '{' && (!ok || jsonl.IsNull(content)) {
					want.Flags = journal.IsEmpty
				}
			case *format.Custom:
				if e.CustomType == format.LeafCustomType {
					want.Flags = journal.IsLeafMarker
				}
			}
			table := scan(t, header+"\n"+line+"\n")
			if table.Len() != 1 {
				t.Fatalf("%d entries, want 1", table.Len())
			}
			got := table.At(0)
			if got.Kind != want.Kind || got.Role.Name() != role || got.Time != want.Time || got.Flags != want.Flags ||
				got.ID != head.ID || got.Parent != head.ParentID {
				t.Errorf("the table has %s; decoded it is %s under %s, time %d, kind %d, role %s, flags %d",
					described(table, 0), head.ID, head.ParentID, want.Time, want.Kind, role, want.Flags)
			}
		})
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
