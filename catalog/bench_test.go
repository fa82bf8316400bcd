package catalog_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/tests/corpus"
)

// storeOptions look at the store of the benchmarks and at nothing else.
func storeOptions(b *testing.B) (o catalog.Options, size int64) {
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
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatalf("size of %s: %v", dir, err)
	}
	env := map[string]string{"PI_CODING_AGENT_DIR": filepath.Dir(dir)}
	return catalog.Options{Home: b.TempDir(), Getenv: func(name string) string { return env[name] }}, size
}

func BenchmarkListAll(b *testing.B) {
	o, size := storeOptions(b)
	for _, text := range []bool{false, true} {
		o.Text = text
		name := "text=no"
		if text {
			name = "text=yes"
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				infos, err := catalog.Sorted(catalog.ListAll(b.Context(), o))
				if err != nil || len(infos) != 1000 {
					b.Fatalf("ListAll = %d sessions, %v; want 1000", len(infos), err)
				}
			}
		})
	}
}

func BenchmarkListProject(b *testing.B) {
	o, _ := storeOptions(b)
	infos, err := catalog.Sorted(catalog.ListAll(b.Context(), o))
	if err != nil || len(infos) == 0 {
		b.Fatalf("ListAll = %d sessions, %v", len(infos), err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := catalog.Sorted(catalog.List(b.Context(), infos[0].Cwd, o)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResolveID(b *testing.B) {
	o, _ := storeOptions(b)
	infos, err := catalog.Sorted(catalog.ListAll(b.Context(), o))
	if err != nil || len(infos) == 0 {
		b.Fatalf("ListAll = %d sessions, %v", len(infos), err)
	}
	want := infos[len(infos)/2]
	b.ReportAllocs()
	for b.Loop() {
		if got, err := catalog.Resolve(b.Context(), want.ID, "/nowhere", o); err != nil || got.Path != want.Path {
			b.Fatalf("Resolve(%q) = %s, %v; want %s", want.ID, got.Path, err, want.Path)
		}
	}
}

// BenchmarkIndexedList is a list of a store that did not change, with the opening
// of the index.
func BenchmarkIndexedList(b *testing.B) {
	o, _ := storeOptions(b)
	dir := b.TempDir()
	list := func() {
		ix, err := catalog.OpenIndex(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer ix.Close()
		o.Index = ix
		infos, err := catalog.Sorted(catalog.ListAll(b.Context(), o))
		if err != nil || len(infos) != 1000 {
			b.Fatalf("ListAll = %d sessions, %v; want 1000", len(infos), err)
		}
	}
	list()
	b.ReportAllocs()
	for b.Loop() {
		list()
	}
}

// BenchmarkIndexedList10000 is the same for ten thousand small sessions.
func BenchmarkIndexedList10000(b *testing.B) {
	o := isolated(b, nil)
	for n := range 10_000 {
		cwd := fmt.Sprintf("/p%d", n%50)
		write(b, filepath.Join(piFolder(o.Home, cwd), fmt.Sprintf("%d.jsonl", n)), simple(fmt.Sprintf("id%d", n), cwd, n))
	}
	dir := b.TempDir()
	list := func() {
		ix, err := catalog.OpenIndex(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer ix.Close()
		o.Index = ix
		infos, err := catalog.Sorted(catalog.ListAll(b.Context(), o))
		if err != nil || len(infos) != 10_000 {
			b.Fatalf("ListAll = %d sessions, %v; want 10000", len(infos), err)
		}
	}
	list()
	b.ReportAllocs()
	for b.Loop() {
		list()
	}
}

// BenchmarkFirstIndex is the first list with an index, which builds it.
func BenchmarkFirstIndex(b *testing.B) {
	o, size := storeOptions(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		ix, err := catalog.OpenIndex(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		o.Index = ix
		infos, err := catalog.Sorted(catalog.ListAll(b.Context(), o))
		if err != nil || len(infos) != 1000 {
			b.Fatalf("ListAll = %d sessions, %v; want 1000", len(infos), err)
		}
		ix.Close()
	}
}
