package compact_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/tests/corpus"
)

// generated opens a session of that many entries, all on one path and never
// compacted, so that the context is the whole file.
func generated(b *testing.B, entries int) (*pith.Session, int64) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "session.jsonl")
	if err := corpus.WriteFile(path, corpus.Options{Seed: 3, Entries: entries}); err != nil {
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
	b.Cleanup(func() { s.Close() })
	return s, info.Size()
}

var benchEntries = []int{5_000, 50_000}

// Planning reads the end of the path alone: ten times the entries cost far less
// than ten times the time.
func BenchmarkPrepare(b *testing.B) {
	for _, n := range benchEntries {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			s, size := generated(b, n)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				p, err := compact.Prepare(s, compact.Defaults())
				if err != nil || !p.HasHistory {
					b.Fatalf("Prepare() = %+v, %v; want a plan with a history", p, err)
				}
			}
		})
	}
}

// The context of this session begins at one of its many compactions.
func BenchmarkPrepareLarge(b *testing.B) {
	path, err := corpus.CachedLarge(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	s, err := pith.Open(b.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.SetBytes(corpus.LargeBytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compact.Prepare(s, compact.Defaults()); err != nil {
			b.Fatal(err)
		}
	}
}

// Without a count of a provider every message must be read.
func BenchmarkEstimate(b *testing.B) {
	for _, n := range benchEntries {
		for name, e := range map[string]compact.Estimator{"quarter": compact.Quarter, "script": compact.ByScript} {
			b.Run(fmt.Sprintf("%s/entries=%d", name, n), func(b *testing.B) {
				s, size := generated(b, n)
				ctx, err := s.Context()
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					sum := int64(0)
					for m, err := range ctx.Messages() {
						if err != nil {
							b.Fatal(err)
						}
						sum += e.RawTokens(m.Raw)
					}
					if sum == 0 {
						b.Fatal("no tokens")
					}
				}
			})
		}
	}
}

// The input of a summarizer, and the files of the whole history.
func BenchmarkHistory(b *testing.B) {
	for _, n := range benchEntries {
		s, size := generated(b, n)
		p, err := compact.Prepare(s, compact.Defaults())
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("text/entries=%d", n), func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if text, err := compact.Serialize(p.History()); err != nil || text == "" {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("files/entries=%d", n), func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if f, err := p.Files(); err != nil || len(f.Read()) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}

// The search must stay linear when nothing stops it early: a budget that is
// never reached walks the whole path.
func BenchmarkNothingToCut(b *testing.B) {
	for _, n := range benchEntries {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			s, size := generated(b, n)
			set := compact.Settings{KeepRecentTokens: 1 << 40}
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := compact.Prepare(s, set); !errors.Is(err, compact.ErrNothing) {
					b.Fatal(err)
				}
			}
		})
	}
}
