package index_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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

func addAll(ctx context.Context, x *index.Texts, all []index.Addition) error {
	var b index.Batch
	for _, a := range all {
		if b.Add(a) {
			continue
		}
		if err := x.Add(ctx, &b); err != nil {
			return err
		}
		b.Reset()
		b.Add(a)
	}
	return x.Add(ctx, &b)
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
	must(addAll(ctx, x, []index.Addition{
		{Path: "a", State: []byte("1"), Documents: docs(" red green", " green red", " größe"), Places: []byte("pa"), Grams: []byte("ga")},
		{Path: "b", State: []byte("1"), Documents: docs(" red"), Places: []byte("pb"), Grams: []byte("gb")},
	}))
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
	must(addAll(ctx, y, []index.Addition{{Path: "b", Before: []byte("1"), State: []byte("2"), Documents: docs(" blue"), Places: []byte("pb2")}}))
	for _, late := range []index.Addition{
		{Path: "b", Before: []byte("1"), State: []byte("3"), Documents: docs(" lost")},
		{Path: "a", State: []byte("9"), Documents: docs(" lost")},
		{Path: "gone", Before: []byte("1"), State: []byte("9"), Documents: docs(" lost")},
	} {
		other := index.Addition{Path: "new", State: []byte("1"), Documents: docs(" lost")}
		if err := addAll(ctx, x, []index.Addition{other, late}); !errors.Is(err, index.ErrOutdated) {
			t.Errorf("adding to %s = %v, want ErrOutdated", late.Path, err)
		}
	}
	if got := latest(t, x, word("lost")); got != "[]" {
		t.Errorf("documents of an overtaken addition: %s", got)
	}
	must(addAll(ctx, x, []index.Addition{{Path: "a", Before: []byte("1"), State: []byte("4"), Afresh: true, Documents: docs(" new"), Places: []byte("pa2"), Grams: []byte("ga2")}}))
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
		if err := addAll(t.Context(), x, []index.Addition{a}); err != nil {
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
	if err := addAll(t.Context(), x, []index.Addition{{Path: "a", State: []byte("1"), Places: []byte("p"),
		Documents: docs(" fixed planning", " fix", " fixture", " größe", " planner plans")}}); err != nil {
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
