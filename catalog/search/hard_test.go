package search_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
)

// A query can be arbitrarily long, and no query harms the index.
func TestNoQueryHarmsTheIndex(t *testing.T) {
	dir := sample(t)
	o := inDir(t, dir)
	o.Limit = 1000
	indexed := o
	indexed.Index = openIndex(t, t.TempDir())
	fill(t, indexed.Index, indexed)
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprintf("w%d*", i)
	}
	for _, query := range []string{
		`"` + strings.Repeat("word ", 5_000) + `"`, strings.Repeat("x", 100_000), strings.Join(many, " "), strings.Repeat("語", 3_000),
		`"` + strings.Repeat("a ", 40_000) + `"`, strings.Repeat("e", 64) + "*", `' OR 1=1 --`, "NEAR(error linker)", `"text:error"`, "{error}", "-error", "^error", "error*",
	} {
		want, got := ask(t, query, o), ask(t, query, indexed)
		if entries(got) != entries(want) {
			t.Errorf("Search(%.40q)\nwith index    %s\nwithout index %s", query, entries(got), entries(want))
		}
		if got.Unindexed != 0 || indexed.Index.Notice() != "" {
			t.Errorf("after Search(%.40q) %d bytes are not indexed; want 0 and no notice", query, got.Unindexed)
		}
	}
}

// An index that is truncated or overwritten anywhere changes no result. Only
// damage that leaves well-formed pages cannot be noticed.
func TestIndexIsCutOrOverwritten(t *testing.T) {
	dir := sample(t)
	o := inDir(t, dir)
	o.Limit = 1000
	cache := t.TempDir()
	ix, err := search.OpenIndex(cache)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, ix, o)
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	path := catalog.IndexFiles(cache)[0]
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := entries(ask(t, "error", o))
	check := func(what string, data []byte) {
		t.Helper()
		for _, file := range catalog.IndexFiles(cache) {
			os.Remove(file)
		}
		write(t, path, string(data))
		ix, err := search.OpenIndex(cache)
		if err != nil {
			t.Fatalf("%s: OpenIndex = %v; want a new index", what, err)
		}
		defer ix.Close()
		with := o
		with.Index = ix
		if got := entries(ask(t, "error", with)); got != want {
			t.Errorf("%s: Search = %q, want %q", what, got, want)
		}
		if err := ix.Fill(t.Context(), search.Build{Catalog: o.Catalog}); err != nil {
			t.Logf("%s: Fill: %v", what, err)
			if err := ix.Fill(t.Context(), search.Build{Catalog: o.Catalog}); err != nil {
				t.Errorf("%s: the second Fill = %v; want an index that was made anew", what, err)
			}
		}
		if got := entries(ask(t, "error", with)); got != want {
			t.Errorf("%s, filled: Search = %q, want %q", what, got, want)
		}
	}
	for at := 0; at < len(good); at += 1024 {
		check(fmt.Sprintf("cut at %d", at), good[:at])
	}
	for at := 0; at+4096 <= len(good); at += 4096 {
		bad := append([]byte(nil), good...)
		copy(bad[at:at+4096], strings.Repeat("garbage!", 512))
		check(fmt.Sprintf("garbage at %d", at), bad)
		clear(bad[at : at+4096])
		check(fmt.Sprintf("zeros at %d", at), bad)
	}
}

// A session whose file is older than its entries is searched anyway.
func TestSinceDoesNotTrustTheTimeOfTheFile(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a.jsonl"), session("a", "/w", message(1, "user", `"the needle"`)))
	old := now.AddDate(-3, 0, 0)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if got := entries(ask(t, "needle since:2026-02-01", inDir(t, dir))); got != "a/e1" {
		t.Errorf("Search(needle since:2026-02-01) = %q, want a/e1", got)
	}
}

// A file that was rewritten with as many bytes is read again.
func TestRewrittenWithTheSameSize(t *testing.T) {
	dir := t.TempDir()
	o := inDir(t, dir)
	o.Index = openIndex(t, t.TempDir())
	path := write(t, filepath.Join(dir, "a.jsonl"), session("a", "/w", message(1, "user", `"one word"`)))
	fill(t, o.Index, o)
	write(t, path, session("a", "/w", message(1, "user", `"two word"`)))
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"two": "a/e1", "one": ""} {
		if got := entries(ask(t, query, o)); got != want {
			t.Errorf("Search(%s) = %q, want %q", query, got, want)
		}
	}
}

// Documents that another process indexes are used by those that have the index
// open.
func TestAnotherProcessFills(t *testing.T) {
	o := inDir(t, sample(t))
	cache := t.TempDir()
	o.Index = openIndex(t, cache)
	if r := ask(t, "error", o); r.Unindexed == 0 || len(r.Hits) == 0 {
		t.Fatalf("before: %d bytes not indexed, %d hits", r.Unindexed, len(r.Hits))
	}
	fill(t, openIndex(t, cache), o)
	if r := ask(t, "error", o); r.Unindexed != 0 || r.Scanned != 0 || len(r.Hits) == 0 {
		t.Errorf("after another process filled it: %d bytes not indexed, %d read, %d hits; want 0, 0 and some", r.Unindexed, r.Scanned, len(r.Hits))
	}
}

// A session that another process removes from the index during a search is
// found.
func TestAnotherProcessForgetsDuringASearch(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	o := inDir(t, dir)
	other := openIndex(t, cache)
	newer := write(t, filepath.Join(dir, "b.jsonl"), session("b", "/w", message(9, "user", `"the needle"`)))
	fill(t, other, o)
	older := write(t, filepath.Join(dir, "a.jsonl"), session("a", "/w", message(1, "user", `"the needle"`)))
	fill(t, other, o)
	o.Index = openIndex(t, cache)
	asked := 0
	o.Session = func(info *catalog.Info) query.Session { // called while the search reads the index
		if asked++; asked > 1 {
			return query.Session{Info: info}
		}
		away := filepath.Join(cache, "away")
		if err := os.Rename(older, away); err != nil {
			t.Fatal(err)
		}
		fill(t, other, o)
		if err := os.Rename(away, older); err != nil {
			t.Fatal(err)
		}
		return query.Session{Info: info}
	}
	if got := entries(ask(t, "needle branch:active size:0", o)); got != "b/e9 a/e1" {
		t.Errorf("Search = %q, want b/e9 a/e1 (%s is the newer one)", got, newer)
	}
	if asked == 0 {
		t.Error("nothing was asked: this test tests nothing")
	}
}

// A session with two names is found under both, by whichever of them it was
// indexed.
func TestTwoNamesOfOneFile(t *testing.T) {
	dir := t.TempDir()
	o := inDir(t, dir)
	o.Index = openIndex(t, t.TempDir())
	path := write(t, filepath.Join(dir, "a.jsonl"), session("a", "/w", message(1, "user", `"the needle"`)))
	fill(t, o.Index, o)
	if err := os.Link(path, filepath.Join(dir, "b.jsonl")); err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{"linked", "filled"} {
		if r := ask(t, "needle", o); len(r.Hits) != 2 || r.Hits[0].Session.Path == r.Hits[1].Session.Path {
			t.Errorf("%s: Search(needle) = %d hits, want one in each of two files", state, len(r.Hits))
		}
		fill(t, o.Index, o)
	}
}

// A file that is rewritten after Fill has seen that it only grew is not taken for
// one that did.
func TestRewrittenDuringFill(t *testing.T) {
	dir := t.TempDir()
	plain := inDir(t, dir)
	o := plain
	o.Index = openIndex(t, t.TempDir())
	var last string
	for n := range 20 {
		last = write(t, filepath.Join(dir, fmt.Sprintf("%02d.jsonl", n)), session(fmt.Sprint(n), "/w", message(n+1, "user", `"the old needle"`)))
	}
	fill(t, o.Index, o)
	grow := func(path, text string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, string(data)+text)
	}
	for n := range 20 {
		grow(filepath.Join(dir, fmt.Sprintf("%02d.jsonl", n)), message(n+1, "user", `"more"`)+"\n")
	}
	rewritten := false
	err := o.Index.Fill(t.Context(), search.Build{Catalog: o.Catalog, Progress: func(int64, int64) {
		if !rewritten { // the others are indexed before it
			rewritten = true
			write(t, last, session("19", "/w", message(20, "user", `"the new needle"`), message(21, "user", `"`+strings.Repeat("padding ", 100)+`"`)))
		}
	}})
	if err != nil || !rewritten {
		t.Fatalf("Fill = %v, rewritten: %t", err, rewritten)
	}
	for _, query := range []string{"new", "old", "more", "padding"} {
		if got, want := entries(ask(t, query, o)), entries(ask(t, query, plain)); got != want {
			t.Errorf("Search(%s) = %q, want %q", query, got, want)
		}
	}
}

// A changed number in the data about how far a session is indexed, or where its
// entries are, is noticed: nothing is hidden, and the index is rebuilt.
func TestChangedNumbersAreNoticed(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "one.jsonl"), session("one", "/src", message(1, "user", `"the okapi"`), message(2, "user", `"another okapi"`)))
	o := inDir(t, dir)
	for table, columns := range map[string][]string{
		"indexed": {"id", "dev", "ino", "size", "mtime", "read_to", "tail_hash", "first", "last"},
		"entry":   {"file", "offset", "length", "role"},
	} {
		for _, column := range columns {
			cache := t.TempDir()
			ix := openIndex(t, cache)
			fill(t, ix, o)
			db, err := sql.Open("sqlite", catalog.IndexFiles(cache)[0])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec("UPDATE " + table + " SET " + column + " = " + column + " + 1"); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			with := o
			with.Index = ix
			if got := entries(ask(t, "okapi", with)); got != "one/e2 one/e1" {
				t.Errorf("%s.%s: Search = %q, want both entries", table, column, got)
			}
			if ix.Notice() == "" {
				t.Errorf("%s.%s: the change was not noticed", table, column)
			}
		}
	}
}
