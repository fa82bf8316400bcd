package search_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/tests/corpus"
)

// S1: the hits are the same whatever the index knows, and however files change. A short
// run asks less.
func TestIndexChangesNothing(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for seed := range uint64(10) {
		text := corpus.Bytes(corpus.Options{Seed: seed, Entries: 25, Branches: 2, CompactEvery: 12, Labels: 2, Cwd: fmt.Sprintf("/w/%d", seed%3),
			Start: now.Add(-time.Duration(seed) * time.Hour), Name: fmt.Sprintf("name %d", seed)})
		paths = append(paths, write(t, filepath.Join(dir, fmt.Sprintf("%02d.jsonl", seed)), string(text)))
	}
	plain := inDir(t, dir)
	cache := t.TempDir()
	queries := []string{
		"error", `"the worker"`, "wor* index", "role:user the", "tool:bash the", "branch:active return", "project:w/1 the",
		`re:func\s+\w+`, "nothinglikethis", "file:package.json",
	}
	if testing.Short() {
		queries = queries[:2]
	}
	compare := func(what string) {
		t.Helper()
		// Every process finds it again.
		ix, err := search.OpenIndex(cache)
		if err != nil {
			t.Fatal(err)
		}
		defer ix.Close()
		indexed := plain
		indexed.Index = ix
		for _, query := range queries {
			for _, limit := range []int{3, 10_000} {
				plain.Limit, indexed.Limit = limit, limit
				want, got := ask(t, query, plain), ask(t, query, indexed)
				if entries(got) != entries(want) || got.More != want.More {
					t.Fatalf("%s: Search(%s), limit %d\nwith index    %s\nwithout index %s", what, query, limit, entries(got), entries(want))
				}
				if limit == 3 {
					continue
				}
				indexed.Order = search.Best
				if best := ask(t, query, indexed); sortedWords(entries(best)) != sortedWords(entries(want)) {
					t.Fatalf("%s: Search(%s), best first\nwith index    %s\nwithout index %s", what, query, entries(best), entries(want))
				}
				indexed.Order = search.Newest
			}
		}
	}
	appendTo := func(path, text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	refill := func() {
		t.Helper()
		ix, err := search.OpenIndex(cache)
		if err != nil {
			t.Fatal(err)
		}
		defer ix.Close()
		fill(t, ix, plain)
	}
	compare("empty index")
	refill()
	compare("full index")
	appendTo(paths[4], message(90, "user", `"one more error of the worker"`)+"\n")
	appendTo(paths[5], message(91, "user", `"a torn error of the worker"`)[:70])
	compare("appended")
	refill()
	compare("appended and filled")
	appendTo(paths[5], message(91, "user", `"a torn error of the worker"`)[70:]+"\n")
	compare("completed")
	refill()
	if err := os.Rename(paths[6], paths[6]+".jsonl"); err != nil {
		t.Fatal(err)
	}
	compare("renamed")
	refill()
	compare("renamed and filled")
	write(t, paths[7], session("other", "/w/1", message(1, "user", `"the worker was replaced"`)))
	if err := os.Truncate(paths[8], 5_000); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(paths[9]); err != nil {
		t.Fatal(err)
	}
	compare("rewritten, truncated, deleted")
	refill()
	compare("rewritten, truncated, deleted and filled")
	refill()
	damageInside(t, filepath.Join(cache, "pith.db"))
	compare("damaged inside")
	refill()
	compare("is rebuilt")
	write(t, filepath.Join(cache, "pith.db"), strings.Repeat("damaged ", 1000))
	compare("damaged")
}

// damageInside makes all pages of a database but the first unreadable.
func damageInside(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("x", int(info.Size()-4096))), 4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// Two concurrent indexers index each document once.
func TestFillTogether(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	for seed := range uint64(6) {
		text := corpus.Bytes(corpus.Options{Seed: seed, Entries: 40})
		write(t, filepath.Join(dir, fmt.Sprintf("%02d.jsonl", seed)), string(text))
	}
	o := inDir(t, dir)
	var wg sync.WaitGroup
	for range 3 {
		ix := openIndex(t, cache)
		wg.Go(func() {
			if err := ix.Fill(t.Context(), search.Build{Catalog: o.Catalog}); err != nil {
				t.Errorf("Fill: %v", err)
			}
		})
	}
	wg.Wait()
	want := entries(ask(t, "the", o))
	o.Index = openIndex(t, cache)
	if r := ask(t, "the", o); r.Unindexed != 0 || r.Scanned != 0 || entries(r) != want {
		t.Errorf("Search = %q, %d bytes not indexed, %d read; want %q, 0, 0", entries(r), r.Unindexed, r.Scanned, want)
	}
}

// Each of three indexers that index many batches at the same time returns when
// all is indexed.
func TestFillTogetherIsComplete(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	files := uint64(120)
	if testing.Short() {
		files = 10
	}
	for seed := range files {
		write(t, filepath.Join(dir, fmt.Sprintf("%02d.jsonl", seed)), string(corpus.Bytes(corpus.Options{Seed: seed, Bytes: 1_000_000})))
	}
	o := inDir(t, dir)
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o.Catalog))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 3 {
		ix := openIndex(t, cache)
		wg.Go(func() {
			if err := ix.Fill(t.Context(), search.Build{Catalog: o.Catalog}); err != nil {
				t.Errorf("Fill: %v", err)
			}
			if n, err := ix.Pending(t.Context(), infos); n != 0 || err != nil {
				t.Errorf("after Fill %d bytes are not indexed, %v", n, err)
			}
		})
	}
	wg.Wait()
}

// Fill stops when its time is up, and later continues where it stopped.
func TestFillInPieces(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(6) {
		text := corpus.Bytes(corpus.Options{Seed: seed, Bytes: 400_000})
		write(t, filepath.Join(dir, fmt.Sprintf("%02d.jsonl", seed)), string(text))
	}
	o := inDir(t, dir)
	o.Index = openIndex(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	if err := o.Index.Fill(ctx, search.Build{Catalog: o.Catalog, Progress: func(done, total int64) { cancel() }}); err != nil {
		t.Fatalf("Fill = %v, want nil although it was ended", err)
	}
	cancel()
	half := ask(t, "error", o)
	if half.Unindexed == 0 || half.Unindexed >= 6*400_000 {
		t.Fatalf("%d of %d bytes are not indexed; want that a part is", half.Unindexed, 6*400_000)
	}
	fill(t, o.Index, o)
	whole := ask(t, "error", o)
	if whole.Unindexed != 0 || entries(whole) != entries(half) || len(whole.Hits) == 0 {
		t.Errorf("after the second Fill %d bytes are not indexed, %d hits; want 0, %d", whole.Unindexed, len(whole.Hits), len(half.Hits))
	}
}
