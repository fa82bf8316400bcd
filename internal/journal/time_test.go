package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// Times equal those of package format, whatever is before and after them.
func TestTimes(t *testing.T) {
	stamps := []string{
		"2026-02-03T22:52:06.410Z", "2026-02-03T22:52:59.999Z", "2026-02-03T22:52:60.000Z", "2026-02-03T22:53:00.000Z",
		"2026-02-03T22:53:0x.000Z", "2026-02-03T22:53:01,000Z", "2026-02-03T22:53:01.00Z", "2026-02-03T22:53:01.5Z",
		"1969-12-31T23:59:30.500Z", "1969-12-31T23:59:31.500Z", "1970-01-01T00:00:00.000Z", "2024-02-29T12:00:00.000Z",
		"2024-02-29T12:00:01.000Z", "2023-02-29T12:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-02-03T22:52:06.410+01:00",
		"2026-02-03 22:52:06.410Z", "2026-02-03T24:00:00.000Z", "soon", "", "2026-12-31T23:59:59.001Z", "2026-12-31T23:59:58.001Z",
	}
	var b strings.Builder
	b.WriteString(header + "\n")
	for i, s := range stamps {
		fmt.Fprintf(&b, `{"type":"custom","id":"c%d","parentId":null,"timestamp":"%s"}`+"\n", i, s)
	}
	table := scan(t, b.String())
	if table.Len() != len(stamps) {
		t.Fatalf("%d entries, want %d", table.Len(), len(stamps))
	}
	for i := range stamps {
		want := int64(journal.NoTime)
		if at, ok := format.ParseTime(stamps[i]); ok {
			want = at.UnixMilli()
		}
		if e := table.At(i); e.Time != want {
			t.Errorf("time of %q = %d, want %d", stamps[i], e.Time, want)
		}
	}
}
