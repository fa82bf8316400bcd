package summarize_test

import (
	"os"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/tests/corpus"
)

// The context of this session is all of its 100 MB.
func BenchmarkExtractLarge(b *testing.B) {
	path, err := corpus.CachedUncompacted(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	s, err := pith.Open(b.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	plan, err := compact.Prepare(s, compact.Defaults())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		text, err := summarize.Extract().Summarize(b.Context(), compact.Prompt{Part: compact.History, Messages: plan.History()})
		if err != nil || len(text) < 500 {
			b.Fatalf("Summarize() = %q, %v; want a summary", text, err)
		}
	}
}
