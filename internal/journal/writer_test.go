package journal_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/tests/corpus"
)

// The table made while a log is written equals the one made by reading it, in
// whatever pieces it is written, and grows in the same way.
func TestWriterHasWhatReadingFinds(t *testing.T) {
	text := string(corpus.Bytes(corpus.Options{Seed: 7, Bytes: 3_000_000, Branches: 5, Labels: 3, CompactEvery: 150}))
	random := rand.New(rand.NewPCG(1, 2))
	w := journal.NewWritten()
	for rest := text; rest != ""; {
		n := min(len(rest), 1+random.IntN(1<<uint(random.IntN(22))))
		if _, err := w.Write([]byte(rest[:n])); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	got, err := w.End()
	if err != nil {
		t.Fatal(err)
	}
	want := scan(t, text)
	if got.Len() != want.Len() || got.Lines != want.Lines || got.Size != want.Size || codes(got) != codes(want) {
		t.Fatalf("written: %d entries, %d lines, %d bytes, faults %q; read: %d, %d, %d, %q", got.Len(), got.Lines, got.Size, codes(got),
			want.Len(), want.Lines, want.Size, codes(want))
	}
	for i := range want.Len() {
		if got, want := described(got, i), described(want, i); got != want {
			t.Fatalf("entry %d is %s, want %s", i, got, want)
		}
	}
}
