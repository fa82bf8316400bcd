package doctor_test

import (
	"os"
	"testing"

	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/tests/corpus"
)

// BenchmarkCheck looks at the large session, in which nothing is wrong. Run it
// with -cpu 1 for what one core does.
func BenchmarkCheck(b *testing.B) {
	path, err := corpus.CachedLarge(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		r, err := doctor.Check(b.Context(), path, doctor.Options{})
		if err != nil || r.Count(doctor.Error)+r.Count(doctor.Warning) > 0 {
			b.Fatal(r, err)
		}
	}
}

// BenchmarkFix makes the copy of a session of 1,000 entries with many faults, and
// verifies it.
func BenchmarkFix(b *testing.B) {
	data := corpus.Damage(corpus.Bytes(corpus.Options{Entries: 1000, Branches: 5, CompactEvery: 200}), 3, 20)
	path := write(b, "", data, 0)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if out, err := doctor.Preview(b.Context(), path, quiet); err != nil || !out.Changed() {
			b.Fatal(out, err)
		}
	}
}
