package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/catalog"
)

// An index that was cut anywhere, or in which bits turned, changes no list: pages
// that make no sense are noticed by the database, values by their sums.
func TestNoDamageChangesAList(t *testing.T) {
	o := isolated(t, nil)
	o.Dir = t.TempDir()
	for n := range 12 {
		write(t, filepath.Join(o.Dir, fmt.Sprintf("%d.jsonl", n)), simple(fmt.Sprintf("id%d", n), "/p", n+2))
	}
	cache := t.TempDir()
	want := listAll(t, o, cache)
	path := catalog.IndexFiles(cache)[0]
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte) {
		t.Helper()
		for _, file := range catalog.IndexFiles(cache) {
			_ = os.Remove(file)
		}
		write(t, path, string(data))
		ix, err := catalog.OpenIndex(cache)
		if err != nil {
			t.Logf("%s: OpenIndex: %v", what, err) // then lists do without
			return
		}
		defer ix.Close()
		o := o
		o.Index = ix
		for range 2 {
			got, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
			if err != nil {
				t.Fatalf("%s: ListAll = %v", what, err)
			}
			if diff := difference(want, got); diff != "" {
				t.Fatalf("%s: the list (-want, +got):\n%s", what, diff)
			}
		}
	}
	for at := 0; at < len(good); at += 700 {
		check(fmt.Sprintf("cut at %d", at), good[:at])
	}
	random := rand.New(rand.NewPCG(7, 7))
	for n := range 150 {
		bad := append([]byte(nil), good...)
		at := random.IntN(len(bad))
		for at < 4096 && n%10 > 0 { // most of them where the values are
			at = random.IntN(len(bad))
		}
		bad[at] ^= 1 << random.IntN(8)
		check(fmt.Sprintf("bit turned at %d", at), bad)
	}
}
