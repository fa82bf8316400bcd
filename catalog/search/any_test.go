package search_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog/search"
)

// An old entry with a rare and a very frequent word comes before newer ones with the
// rare word alone, although the frequent word is in more entries than are considered.
func TestFrequentWordOfAnOldEntry(t *testing.T) {
	dir := t.TempDir()
	text := func(n int, words string) string {
		return message(n, "user", fmt.Sprintf(`[{"type":"text","text":%q}]`, words))
	}
	lines := []string{text(1, "okapi on staging")}
	for n := range 400 {
		lines = append(lines, text(n+2, "okapi seen"))
	}
	for n := range 3500 {
		lines = append(lines, text(n+402, "deploy staging"))
	}
	write(t, filepath.Join(dir, "s.jsonl"), session("s", "/src", lines...))
	o := inDir(t, dir)
	o.Order, o.Limit, o.Index = search.Best, 3, openIndex(t, t.TempDir())
	fill(t, o.Index, o)
	q := search.Query{Any: true, Terms: []search.Term{{Words: []string{"okapi"}}, {Words: []string{"staging"}}}}
	r, err := search.Search(t.Context(), q, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Hits) == 0 || r.Hits[0].EntryID != "e1" {
		t.Errorf("Search = %s, want s/e1 first", entries(r))
	}
	if r.Rarity[0] <= r.Rarity[1] {
		t.Errorf("okapi tells %v, staging %v; want more for the rarer", r.Rarity[0], r.Rarity[1])
	}
}

// Best first continues if the newest documents with the words do not match, and
// of those that match it ranks the ones first that contain little else.
func TestBestGoesOn(t *testing.T) {
	dir := t.TempDir()
	var lines []string
	for n := range 40 {
		lines = append(lines, message(n+1, "user", fmt.Sprintf(`"heron pond %s"`, strings.Repeat("reeds ", 40-n))))
	}
	for n := range 900 {
		lines = append(lines, message(n+41, "assistant", `"heron pond"`))
	}
	write(t, filepath.Join(dir, "a.jsonl"), session("a", "/w", lines...))
	o := inDir(t, dir)
	o.Order, o.Limit = search.Best, 5
	scanned := entries(ask(t, "heron pond role:user", o))
	o.Index = openIndex(t, t.TempDir())
	fill(t, o.Index, o)
	got := ask(t, "heron pond role:user", o)
	if want := "a/e40 a/e39 a/e38 a/e37 a/e36"; entries(got) != want || scanned != want || !got.More {
		t.Errorf("found %s with an index, %s without; want %s", entries(got), scanned, want)
	}
}

// A path whose words are all frequent, but seldom in this order, is found in an old
// entry with a rare word, and ranks before entries that hold the words apart.
func TestPathOfFrequentWords(t *testing.T) {
	dir := t.TempDir()
	text := func(n int, words string) string {
		return message(n, "user", fmt.Sprintf(`[{"type":"text","text":%q}]`, words))
	}
	lines := []string{text(1, "the okapi panics in config/loader.go")}
	for n := range 11_000 {
		lines = append(lines, text(n+2, "loader of go config"))
	}
	lines = append(lines, text(11_002, "config/loader.go again"))
	write(t, filepath.Join(dir, "s.jsonl"), session("s", "/src", lines...))
	o := inDir(t, dir)
	o.Order, o.Limit, o.Index = search.Best, 3, openIndex(t, t.TempDir())
	fill(t, o.Index, o)
	q := search.Query{Any: true, Terms: []search.Term{{Words: []string{"config", "loader", "go"}}, {Words: []string{"okapi"}}}}
	r, err := search.Search(t.Context(), q, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := "s/e1 s/e11002"; entries(r) != want {
		t.Errorf("Search = %s, want %s", entries(r), want)
	}
}
