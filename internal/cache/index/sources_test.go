package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pith-sessions/pith/internal/cache/index"
)

// The saved sources are those in the database after every kind of change, and
// whatever becomes of their file.
func TestSavedSources(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.db")
	saved := path + ".sources"
	x, ctx := openTexts(t, path), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	name := func(i int) string { return fmt.Sprintf("/s/%04d", i) }
	var all []index.Addition
	for i := range 1100 {
		all = append(all, index.Addition{Path: name(i), State: []byte{1, byte(i)}, Documents: docs("one", "two")})
	}
	sources := func(x *index.Texts) []index.Source {
		t.Helper()
		list, err := x.Sources(ctx)
		must(err)
		return list
	}
	check := func(what string, count int) {
		t.Helper()
		got, again := sources(openTexts(t, path)), sources(x)
		_, err := os.Stat(saved)
		must(err)
		third := sources(openTexts(t, path))
		must(os.Remove(saved))
		want := sources(openTexts(t, path))
		for _, got := range [][]index.Source{got, again, third} {
			if diff := cmp.Diff(want, got); diff != "" || len(got) != count {
				t.Fatalf("%s: %d sources; want %d (-database +saved):\n%s", what, len(got), count, diff)
			}
		}
	}
	must(x.Add(ctx, all...))
	check("added", 1100)
	must(x.Add(ctx, index.Addition{Path: name(3), Before: []byte{1, 3}, State: []byte{2}, Documents: docs("three")}))
	check("grown", 1100)
	must(x.Add(ctx, index.Addition{Path: name(4), Before: []byte{1, 4}, State: []byte{3}}))
	check("another state", 1100)
	must(x.Add(ctx, index.Addition{Path: name(5), Before: []byte{1, 5}, State: []byte{4}, Afresh: true, Documents: docs("four")}))
	check("rewritten", 1100)
	must(x.Rename(ctx, name(6), "/s/renamed"))
	check("renamed", 1100)
	must(x.Forget(ctx, []string{name(7)}))
	check("forgotten", 1099)

	text, err := os.ReadFile(saved)
	must(err)
	for at := 0; at < len(text); at += 1 + len(text)/20 {
		damaged := slices.Clone(text)
		damaged[at] ^= 1
		for _, text := range [][]byte{damaged, text[:at]} {
			must(os.WriteFile(saved, text, 0o600))
			check(fmt.Sprint("damaged at ", at), 1099)
		}
	}
	must(x.Clear(ctx))
	if got := sources(openTexts(t, path)); len(got) > 0 {
		t.Errorf("%d sources after Clear", len(got))
	}
	must(x.Add(ctx, all[:1050]...))
	check("added again", 1050)
}
