package index_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/cache/index"
)

func openTexts(t *testing.T, path string) *index.Texts {
	t.Helper()
	x, err := index.OpenTexts(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func docs(texts ...string) [][]byte {
	var out [][]byte
	for _, s := range texts {
		out = append(out, []byte(s))
	}
	return out
}

func latest(t *testing.T, x *index.Texts, phrases ...index.Phrase) string {
	t.Helper()
	got, err := x.Latest(t.Context(), phrases, 0, 1<<40, 100)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(got)
}

func TestTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.db")
	x := openTexts(t, path)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(x.Add(ctx,
		index.Addition{Path: "a", State: []byte("1"), Documents: docs(" red green", " green red", " größe"), Places: []byte("pa"), Grams: []byte("ga")},
		index.Addition{Path: "b", State: []byte("1"), Documents: docs(" red"), Places: []byte("pb"), Grams: []byte("gb")},
	))
	word := func(words ...string) index.Phrase { return index.Phrase{Words: words} }
	tests := []struct {
		phrases []index.Phrase
		want    string
	}{
		{[]index.Phrase{word("red")}, "[4 2 1]"},
		{[]index.Phrase{word("red", "green")}, "[1]"},
		{[]index.Phrase{word("red"), word("green")}, "[2 1]"},
		{[]index.Phrase{{Words: []string{"gr"}, Prefix: true}}, "[3 2 1]"},
		{[]index.Phrase{word("größe")}, "[3]"},
		{[]index.Phrase{word("or")}, "[]"},
	}
	for _, tt := range tests {
		if got := latest(t, x, tt.phrases...); got != tt.want {
			t.Errorf("Latest(%v) = %s, want %s", tt.phrases, got, tt.want)
		}
	}
	// A second process was faster.
	y := openTexts(t, path)
	must(y.Add(ctx, index.Addition{Path: "b", Before: []byte("1"), State: []byte("2"), Documents: docs(" blue"), Places: []byte("pb2")}))
	for _, late := range []index.Addition{
		{Path: "b", Before: []byte("1"), State: []byte("3"), Documents: docs(" lost")},
		{Path: "a", State: []byte("9"), Documents: docs(" lost")},
		{Path: "gone", Before: []byte("1"), State: []byte("9"), Documents: docs(" lost")},
	} {
		other := index.Addition{Path: "new", State: []byte("1"), Documents: docs(" lost")}
		if err := x.Add(ctx, other, late); !errors.Is(err, index.ErrOutdated) {
			t.Errorf("adding to %s = %v, want ErrOutdated", late.Path, err)
		}
	}
	if got := latest(t, x, word("lost")); got != "[]" {
		t.Errorf("documents of an overtaken addition: %s", got)
	}
	must(x.Add(ctx, index.Addition{Path: "a", Before: []byte("1"), State: []byte("4"), Afresh: true, Documents: docs(" new"), Places: []byte("pa2"), Grams: []byte("ga2")}))
	must(x.Rename(ctx, "b", "c"))
	sources, err := x.Sources(ctx)
	must(err)
	var got []string
	for _, source := range sources {
		got = append(got, fmt.Sprintf("%s %s %v", source.Path, source.State, source.Segments))
	}
	if want := []string{"a 4 [{6 1}]", "c 2 [{4 1} {5 1}]"}; !slices.Equal(got, want) {
		t.Errorf("Sources = %q, want %q", got, want)
	}
	if got := latest(t, x, word("red")); got != "[4]" {
		t.Errorf("Latest after a was replaced = %s, want [4]", got)
	}
	if places, err := x.Places(ctx, 6, 4); fmt.Sprintf("%s", places) != "[pa2 pb]" || err != nil {
		t.Errorf("Places = %q, %v", places, err)
	}
	if places, err := x.Places(ctx, 6, 7); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("Places of no segment = %q, %v; want %v", places, err, sql.ErrNoRows)
	}
	grams := map[int64]string{}
	must(x.Grams(ctx, func(first int64, g []byte) { grams[first] = string(g) }))
	if got := fmt.Sprint(grams); got != "map[4:gb 5: 6:ga2]" {
		t.Errorf("Grams = %s", got)
	}
	must(x.Forget(ctx, []string{"c", "nothing"}))
	if got := latest(t, x, word("red")) + latest(t, x, word("new")); got != "[][6]" {
		t.Errorf("after Forget: %s", got)
	}
}

// A process sees from the version that another one has written, and everybody
// that documents were removed.
func TestVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.db")
	own, other := openTexts(t, path), openTexts(t, path)
	version := func() index.Version {
		t.Helper()
		v, err := own.Version(t.Context())
		if err != nil {
			t.Fatalf("Version: %v", err)
		}
		return v
	}
	add := func(x *index.Texts, a index.Addition) {
		t.Helper()
		if err := x.Add(t.Context(), a); err != nil {
			t.Fatalf("Add: %v", err)
		}
	}
	first := version()
	add(other, index.Addition{Path: "a", State: []byte("1"), Documents: docs("one"), Places: []byte("p")})
	added := version()
	if added.Writes == first.Writes || added.Removals != first.Removals {
		t.Errorf("after another one added documents: %+v, before %+v; want other writes, as many removals", added, first)
	}
	if again := version(); again != added {
		t.Errorf("Version twice = %+v, %+v", added, again)
	}
	add(own, index.Addition{Path: "a", Before: []byte("1"), State: []byte("2"), Afresh: true})
	afresh := version()
	if afresh.Removals == added.Removals {
		t.Errorf("after documents were replaced: %+v, before %+v; want more removals", afresh, added)
	}
	if err := other.Forget(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if forgot := version(); forgot.Removals == afresh.Removals {
		t.Errorf("after another one forgot a source: %+v, before %+v; want more removals", forgot, afresh)
	}
}

// Of many word forms, those that occur are known, whatever else is between them
// in the index, and only these lead to documents.
func TestKnownWords(t *testing.T) {
	x := openTexts(t, filepath.Join(t.TempDir(), "text.db"))
	known := func(words ...string) string {
		t.Helper()
		got, err := x.Known(t.Context(), words)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(got[0])
	}
	if got := known("fix", "plan"); got != "[]" {
		t.Errorf("Known in an empty index = %s", got)
	}
	if err := x.Add(t.Context(), index.Addition{Path: "a", State: []byte("1"), Places: []byte("p"),
		Documents: docs(" fixed planning", " fix", " fixture", " größe", " planner plans")}); err != nil {
		t.Fatal(err)
	}
	tests := map[string][]string{
		"[fix fixed]":              {"fix", "fixation", "fixed", "fixes", "fixing"},
		"[planner planning plans]": {"plan", "planner", "planners", "planning", "plans"},
		"[größe]":                  {"grosse", "größe"},
		"[]":                       {"zebra", "zebras"},
	}
	for want, words := range tests {
		if got := known(words...); got != want {
			t.Errorf("Known(%q) = %s, want %s", words, got, want)
		}
	}
	got, err := x.LatestOfAny(t.Context(), 10, []string{"fix", "fixed"}, []string{"planning", "fix"})
	if fmt.Sprint(got) != "[2 1]" || err != nil {
		t.Errorf("LatestOfAny = %v, %v; want [2 1]", got, err)
	}
	if got, err := x.LatestOfAny(t.Context(), 10, []string{"fix"}, nil); len(got) > 0 || err != nil {
		t.Errorf("LatestOfAny of a word and of no word = %v, %v", got, err)
	}
}

// Two users of one index find the same documents while they add small ones,
// replace them and remove them.
func TestSmallAdditions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.db")
	users := []*index.Texts{openTexts(t, path), openTexts(t, path)}
	r := rand.New(rand.NewPCG(3, 4))
	texts, states := map[string][]string{}, map[string][]byte{} // by path
	addition := func(i, n int, afresh bool) index.Addition {
		path := fmt.Sprint("source", i)
		a := index.Addition{Path: path, Before: states[path], State: fmt.Append(nil, r.Uint64()), Afresh: afresh && states[path] != nil}
		if states[path] = a.State; a.Afresh {
			texts[path] = nil
		}
		for range n {
			text := fmt.Sprintf(" w%d w%d same", r.IntN(5), r.IntN(5))
			texts[path], a.Documents = append(texts[path], text), append(a.Documents, []byte(text))
		}
		return a
	}
	for step := range 200 {
		x := users[r.IntN(2)]
		source := r.IntN(10)
		var err error
		switch r.IntN(8) {
		case 0:
			path := fmt.Sprint("source", source)
			delete(texts, path)
			delete(states, path)
			err = x.Forget(t.Context(), []string{path})
		case 1:
			err = x.Add(t.Context(), addition(source, 2, false), addition(r.IntN(10), 1, true), addition(source, 1, true))
		default:
			err = x.Add(t.Context(), addition(source, r.IntN(4), r.IntN(4) == 0))
		}
		if err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		sources, err := users[0].Sources(t.Context())
		if err != nil {
			t.Fatalf("step %d: Sources: %v", step, err)
		}
		for _, word := range []string{"w0", "w1", "same"} {
			var want []int64
			for _, source := range sources {
				rest := texts[source.Path]
				for _, segment := range source.Segments {
					for i, text := range rest[:segment.Count] {
						if strings.Contains(text, " "+word) {
							want = append(want, segment.First+int64(i))
						}
					}
					rest = rest[segment.Count:]
				}
			}
			slices.Sort(want)
			slices.Reverse(want)
			for i, x := range users {
				if got := latest(t, x, index.Phrase{Words: []string{word}}); got != fmt.Sprint(want[:min(100, len(want))]) {
					t.Fatalf("step %d: user %d finds %s in %s, want %v", step, i, word, got, want)
				}
			}
		}
	}
	check(t, path)
}

// check has FTS5 check its own data.
func check(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO doc (doc) VALUES ('integrity-check')"); err != nil {
		t.Errorf("integrity-check: %v", err)
	}
}
