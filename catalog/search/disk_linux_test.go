package search_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/store/storetest"
	"github.com/pith-sessions/pith/tests/corpus"
)

func makeWritable(t *testing.T, dir string) {
	t.Helper()
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT, ""); err != nil {
		t.Fatal(err)
	}
}

// store makes a directory of sessions, and a search in it without an index.
func store(t *testing.T, dir string) (plain search.Options, want string) {
	t.Helper()
	for seed := range uint64(6) {
		write(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl", seed)), string(corpus.Bytes(corpus.Options{Seed: seed, Bytes: 400_000})))
	}
	plain = inDir(t, dir)
	plain.Limit = 10_000
	if want = entries(ask(t, "error", plain)); want == "" {
		t.Fatal("nothing was found: this test tests nothing")
	}
	return plain, want
}

// facts returns the session index in a directory.
func facts(t *testing.T, dir string) *catalog.Index {
	t.Helper()
	ix, err := catalog.OpenIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}

// A full disk is reported by the indexer, and by nothing else. When there is
// room again, the index is filled.
func TestDiskOfTheIndexIsFull(t *testing.T) {
	plain, want := store(t, t.TempDir())
	cache := storetest.Disk(t, "400k")
	o := plain
	o.Index, o.Catalog.Index = openIndex(t, cache), facts(t, cache)
	if err := o.Index.Fill(t.Context(), search.Build{Catalog: o.Catalog}); err == nil {
		t.Fatal("Fill on a full disk succeeded: this test tests nothing")
	} else if !strings.Contains(err.Error(), "full") {
		t.Errorf("Fill on a full disk = %v, want an error that says so", err)
	}
	if got := entries(ask(t, "error", o)); got != want {
		t.Errorf("Search on a full disk\n     %s\nwant %s", got, want)
	}
	if err := unix.Mount("", cache, "", unix.MS_REMOUNT, "size=40m"); err != nil {
		t.Fatal(err)
	}
	fill(t, o.Index, o)
	if r := ask(t, "error", o); entries(r) != want || r.Unindexed != 0 || o.Index.Notice() != "" {
		t.Errorf("Search with room again: %d bytes not indexed\n     %s\nwant %s", r.Unindexed, entries(r), want)
	}
}

// Where an index cannot be written there is none, and what was there stays.
func TestDiskOfTheIndexIsReadOnly(t *testing.T) {
	plain, want := store(t, t.TempDir())
	cache := storetest.Disk(t, "40m")
	ix, err := search.OpenIndex(cache)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, ix, plain)
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	storetest.MakeReadOnly(t, cache)
	if ix, err := search.OpenIndex(cache); !errors.Is(err, unix.EROFS) {
		t.Errorf("OpenIndex on a read-only disk = %v, %v; want that error", ix, err)
	}
	if ix, err := catalog.OpenIndex(cache); !errors.Is(err, unix.EROFS) {
		t.Errorf("catalog.OpenIndex on a read-only disk = %v, %v; want that error", ix, err)
	}
	makeWritable(t, cache)
	plain.Index = openIndex(t, cache)
	if r := ask(t, "error", plain); entries(r) != want || r.Unindexed != 0 || plain.Index.Notice() != "" {
		t.Errorf("Search when the disk can be written again: %d bytes not indexed\n     %s\nwant %s", r.Unindexed, entries(r), want)
	}
}

// Sessions on a read-only disk are indexed and searched.
func TestDiskOfTheSessionsIsReadOnly(t *testing.T) {
	sessions := storetest.Disk(t, "40m")
	o, want := store(t, sessions)
	storetest.MakeReadOnly(t, sessions)
	cache := t.TempDir()
	o.Index, o.Catalog.Index = openIndex(t, cache), facts(t, cache)
	fill(t, o.Index, o)
	if r := ask(t, "error", o); entries(r) != want || r.Unindexed != 0 {
		t.Errorf("Search: %d bytes not indexed\n     %s\nwant %s", r.Unindexed, entries(r), want)
	}
	if r := ask(t, "error branch:active", o); len(r.Hits) == 0 {
		t.Error("Search(error branch:active) found nothing")
	}
}
