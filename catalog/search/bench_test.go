package search_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/tests/corpus"
)

// storeOptions search the store of the benchmarks, with an index of its facts so
// that the search alone is measured.
func storeOptions(b *testing.B) (o search.Options, size int64) {
	b.Helper()
	dir, err := corpus.CachedStore(b.Context())
	if err != nil {
		b.Fatalf("CachedStore: %v", err)
	}
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	facts, err := catalog.OpenIndex(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { facts.Close() })
	env := map[string]string{"PI_CODING_AGENT_DIR": filepath.Dir(dir)}
	o.Catalog = catalog.Options{Home: b.TempDir(), Getenv: func(name string) string { return env[name] }, Index: facts}
	o.Limit = 20
	ask(b, "warmup", o)
	return o, size
}

var benchQueries = []struct{ name, query string }{
	{"rare", "zzzqqqxx"}, {"common", "error"}, {"phrase", `"stale data"`}, {"prefix", "splitt*"}, {"two", "stale worker"},
}

// BenchmarkScan searches 500 MB without an index.
func BenchmarkScan(b *testing.B) {
	o, size := storeOptions(b)
	queries := append(benchQueries[:1:1],
		struct{ name, query string }{"regexp", `re:zzz\w+qqq`},
		struct{ name, query string }{"regexp-fold", `re:(?i)zzz\w+qqq`},
		struct{ name, query string }{"cjk", "日本語"},
	)
	for _, q := range queries {
		b.Run(q.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				ask(b, q.query, o)
			}
		})
	}
}

// BenchmarkIndexed searches 500 MB with an index.
func BenchmarkIndexed(b *testing.B) {
	o, _ := storeOptions(b)
	o.Index = openIndex(b, b.TempDir())
	fill(b, o.Index, o)
	for _, order := range []search.Order{search.Newest, search.Best} {
		o.Order = order
		for _, q := range benchQueries {
			b.Run(string(order)+"/"+q.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					ask(b, q.query, o)
				}
			})
		}
	}
}

// BenchmarkFill builds the index of one large session.
func BenchmarkFill(b *testing.B) {
	large, err := corpus.CachedLarge(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := os.Symlink(large, filepath.Join(dir, "large.jsonl")); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(large)
	if err != nil {
		b.Fatal(err)
	}
	o := inDir(b, dir)
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		fill(b, openIndex(b, b.TempDir()), o)
	}
}
