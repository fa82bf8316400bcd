package pith_test

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/corpus"
)

func large(b *testing.B) string { return cached(b, corpus.CachedLarge) }

func uncompacted(b *testing.B) string { return cached(b, corpus.CachedUncompacted) }

func cached(b *testing.B, file func(context.Context) (string, error)) string {
	b.Helper()
	path, err := file(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return path
}

func size(b *testing.B, path string) int64 {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func BenchmarkOpen(b *testing.B) {
	path := large(b)
	b.SetBytes(size(b, path))
	b.ReportAllocs()
	for b.Loop() {
		s, err := pith.Open(b.Context(), path, pith.Options{ReadOnly: true})
		if err != nil {
			b.Fatal(err)
		}
		if s.View().Len() < 50_000 {
			b.Fatalf("Len() = %d, want about 52,000", s.View().Len())
		}
		s.Close()
	}
}

// BenchmarkOpenContext opens a session and reads every message of its context.
func BenchmarkOpenContext(b *testing.B) {
	for name, path := range map[string]string{"compacted": large(b), "whole": uncompacted(b)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size(b, path))
			b.ReportAllocs()
			for b.Loop() {
				s, err := pith.Open(b.Context(), path, pith.Options{ReadOnly: true})
				if err != nil {
					b.Fatal(err)
				}
				readContext(b, s)
				s.Close()
			}
		})
	}
}

func readContext(b *testing.B, s *pith.Session) {
	b.Helper()
	readMessages(b, s, (*pith.Context).ReusedMessages)
}

func readMessages(b *testing.B, s *pith.Session, messages func(*pith.Context) iter.Seq2[pith.ContextMessage, error]) {
	b.Helper()
	c, err := s.Context()
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for m, err := range messages(c) {
		if err != nil || len(m.Raw) == 0 {
			b.Fatal(err)
		}
		n++
	}
	if n == 0 {
		b.Fatal("no messages")
	}
}

func BenchmarkContext(b *testing.B) {
	for name, path := range map[string]string{"compacted": large(b), "whole": uncompacted(b)} {
		b.Run(name, func(b *testing.B) {
			s, err := pith.Open(b.Context(), path, pith.Options{ReadOnly: true})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			b.ReportAllocs()
			for b.Loop() {
				readContext(b, s)
			}
		})
	}
}

// The cost of messages that may be retained: see [pith.Context.ReusedMessages].
func BenchmarkContextKept(b *testing.B) {
	path := uncompacted(b)
	for name, messages := range map[string]func(*pith.Context) iter.Seq2[pith.ContextMessage, error]{
		"kept": (*pith.Context).Messages, "reused": (*pith.Context).ReusedMessages,
	} {
		b.Run(name, func(b *testing.B) {
			s, err := pith.Open(b.Context(), path, pith.Options{ReadOnly: true})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			b.ReportAllocs()
			for b.Loop() {
				readMessages(b, s, messages)
			}
		})
	}
}

func BenchmarkTree(b *testing.B) {
	s, err := pith.Open(b.Context(), large(b), pith.Options{ReadOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		if roots := s.View().Tree(); len(roots) == 0 {
			b.Fatal("no roots")
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	msg, err := format.DecodeMessage([]byte(`{"role":"user","content":[{"type":"text","text":"please look at the parser again"}],"timestamp":1770000000000}`))
	if err != nil {
		b.Fatal(err)
	}
	for name, sync := range map[string]bool{"plain": false, "fsync": true} {
		b.Run(name, func(b *testing.B) {
			s, err := pith.Create(pith.Options{Cwd: "/p", Dir: filepath.Join(b.TempDir(), "s"), Sync: sync})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.AppendMessage(b.Context(), msg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
