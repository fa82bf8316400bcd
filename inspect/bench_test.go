package inspect_test

import (
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/tests/corpus"
)

// The large session has 100 MB; what is measured comes after it was opened.
func BenchmarkReading(b *testing.B) {
	path, err := corpus.CachedLarge(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	s, err := pith.Open(b.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close() // nothing is written
	read := func(b *testing.B, r *inspect.Reading, c inspect.Choice) {
		sel, err := r.Choose(b.Context(), c)
		if err != nil {
			b.Fatal(err)
		}
		for _, i := range sel.Indexes {
			if _, err := r.Turn(i, inspect.Detail{MaxContent: 3000}); err != nil {
				b.Fatal(err)
			}
		}
	}
	for name, c := range map[string]inspect.Choice{"last=20": {Turns: "-20"}, "all": {}, "search": {Search: "nowhere to be found"}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(corpus.LargeBytes)
			for b.Loop() {
				r, err := inspect.Open(s, inspect.Scope{})
				if err != nil || r.Len() < 1000 {
					b.Fatalf("Open = %d turns, %v", r.Len(), err)
				}
				read(b, r, c)
			}
		})
	}
	b.Run("count", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(corpus.LargeBytes)
		for b.Loop() {
			if t, err := inspect.Count(b.Context(), s); err != nil || t.Messages == 0 {
				b.Fatalf("Count = %+v, %v", t, err)
			}
		}
	})
}
