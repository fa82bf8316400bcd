package seal_test

import (
	"bytes"
	"testing"
)

// BenchmarkUnsealed takes a row of an index.
func BenchmarkUnsealed(b *testing.B) {
	k := open(b, b.TempDir())
	sealed := k.Sealed("facts.db", "/home/u/.pi/agent/sessions/--home-u-project--/2026-01-01T00-00-00-000Z_0197a3f0-0000-7000-8000-000000000002.jsonl", bytes.Repeat([]byte("facts "), 50))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := k.Unsealed("facts.db", "/home/u/.pi/agent/sessions/--home-u-project--/2026-01-01T00-00-00-000Z_0197a3f0-0000-7000-8000-000000000002.jsonl", sealed); !ok {
			b.Fatal("not taken")
		}
	}
}
