package cost_test

import (
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/tests/corpus"
)

// A report over 1,000 sessions of 500 MB, once they are listed.
func BenchmarkCount(b *testing.B) {
	dir, err := corpus.CachedStore(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	env := func(name string) string { return map[string]string{"PI_SESSIONS_DIR": dir}[name] }
	infos, err := catalog.Sorted(catalog.ListAll(b.Context(), catalog.Options{Getenv: env, Home: b.TempDir()}))
	if err != nil || len(infos) == 0 {
		b.Fatalf("ListAll = %d sessions, %v", len(infos), err)
	}
	var size int64
	for i := range infos {
		size += infos[i].Size
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		l, err := cost.Count(b.Context(), infos, cost.Options{})
		if err != nil || len(l.Responses) == 0 {
			b.Fatalf("Count = %v, %v", l, err)
		}
	}
}
