package corpus_test

import (
	"io"
	"testing"

	"github.com/pith-sessions/pith/tests/corpus"
)

// BenchmarkSession shows that benchmarks can make their sessions on the fly.
func BenchmarkSession(b *testing.B) {
	const size = 20_000_000
	o := corpus.LargeOptions()
	o.Bytes = size
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if err := corpus.Session(io.Discard, o); err != nil {
			b.Fatal(err)
		}
	}
}
