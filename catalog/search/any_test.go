package search_test

import (
	"fmt"
	"path/filepath"
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
