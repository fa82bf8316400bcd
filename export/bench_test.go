package export_test

import (
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/tests/corpus"
)

// BenchmarkWriteFile is a session of 10 MB from its review to the checked file.
// MB/s is of the session.
func BenchmarkWriteFile(b *testing.B) {
	const size = 10_000_000
	path := filepath.Join(b.TempDir(), "s.jsonl")
	if err := corpus.WriteFile(path, corpus.Options{Seed: 1, Bytes: size, Branches: 6, CompactEvery: 1500}); err != nil {
		b.Fatal(err)
	}
	s := open(b, path)
	for _, format := range []export.Format{export.HTML, export.Markdown, export.JSONL} {
		b.Run(format.String(), func(b *testing.B) {
			out := filepath.Join(b.TempDir(), "out")
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				plan, err := export.Review(b.Context(), s, export.Options{Format: format})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := plan.WriteFile(b.Context(), out, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
