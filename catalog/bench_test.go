package catalog_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/corpus"
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
