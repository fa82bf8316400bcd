package redact_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// BenchmarkLine redacts the sessions of testdata, which hold no secrets. MB/s is
// for one core.
func BenchmarkLine(b *testing.B) {
	for name, lines := range ordinary(b) {
		b.Run(name, func(b *testing.B) {
			r := newRedactor(b, redact.Options{})
			size := 0
			for _, line := range lines {
				size += len(line)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, line := range lines {
					r.Line(line)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newRedactor(b, redact.Options{})
	}
}

func newRedactor(tb testing.TB, o redact.Options) *redact.Redactor {
	tb.Helper()
	r, err := redact.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// ordinary is the sessions of testdata, by name, in lines.
func ordinary(tb testing.TB) map[string][][]byte {
	tb.Helper()
	files, err := filepath.Glob("testdata/ordinary/*.jsonl")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no sessions (%v)", err)
	}
	all := map[string][][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		all[filepath.Base(file)] = bytes.SplitAfter(text, []byte("\n"))
	}
	return all
}
