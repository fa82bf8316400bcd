package journal_test

import (
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// Which of its names a session shows (F25).
func TestTitles(t *testing.T) {
	tests := []struct {
		titles     journal.Titles
		pi, ohMyPi string
	}{
		{journal.Titles{}, "", ""},
		{journal.Titles{Record: "record"}, "record", "record"},
		{journal.Titles{Header: "header", Record: "record"}, "header", "header"},
		{journal.Titles{Slot: "slot", Header: "header", Record: "record"}, "slot", "slot"},
		{journal.Titles{Header: "header", Named: true, Name: " name "}, "name", "name"},
		{journal.Titles{Header: "header", Named: true}, "", ""}, // cleared
		{journal.Titles{Slot: "slot", Named: true, Name: "name"}, "name", "slot"},
	}
	for _, tt := range tests {
		if pi, ohMyPi := tt.titles.Of(format.Pi), tt.titles.Of(format.OhMyPi); pi != tt.pi || ohMyPi != tt.ohMyPi {
			t.Errorf("%+v: %q in pi, %q in oh-my-pi; want %q, %q", tt.titles, pi, ohMyPi, tt.pi, tt.ohMyPi)
		}
	}
}

// A session is in OpenClaw's database if it is OpenClaw's and has the version that
// OpenClaw writes since it has a database.
func TestInDatabase(t *testing.T) {
	for path, program := range map[string]bool{"/h/.openclaw/s.jsonl": true, "/h/.pi/s.jsonl": false, "/h/s.jsonl": false} {
		for version, written := range map[int]bool{3: false, 4: true, 5: false} {
			if got := journal.SignatureOf(nil).InDatabase(path, version); got != (program && written) {
				t.Errorf("InDatabase(%s, %d) = %t", path, version, got)
			}
		}
	}
}

// Of two title slots the first counts; oh-my-pi reads no other.
func TestSecondTitleSlot(t *testing.T) {
	slot := func(title string) string {
		return `{"type":"title","v":1,"title":"` + title + `","updatedAt":"x","pad":"   "}` + "\n"
	}
	s := scan(t, slot("one")+slot("two")+header+"\n")
	if s.Slot == nil || s.Slot.Title != "one" || s.DisplayName("") != "one" {
		t.Errorf("the slot is %+v, the name %q; want the first", s.Slot, s.DisplayName(""))
	}
}

// A log that is written without a line ending at its end has the same State as
// when it is read.
func TestWrittenWithoutEnding(t *testing.T) {
	for _, text := range []string{header, header + "\n" + entry("a", "", "x"), header + "\n" + entry("a", "", "x")[:40]} {
		w := journal.NewWritten()
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := w.End()
		if err != nil {
			t.Fatal(err)
		}
		if want := scan(t, text); got.Tail != want.Tail || got.Size != want.Size || got.Len() != want.Len() || codes(got) != codes(want) {
			t.Errorf("written %.50q: %d, %d bytes, %d entries, %s; read: %d, %d, %d, %s", text, got.Tail, got.Size, got.Len(), codes(got),
				want.Tail, want.Size, want.Len(), codes(want))
		}
	}
}
