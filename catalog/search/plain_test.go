package search_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// plainSearch finds the entries with all words and without another in the plainest
// way: it opens every session, decodes every entry, and compares words.
func plainSearch(t *testing.T, paths, words []string, not string) (found []string) {
	t.Helper()
	for _, path := range paths {
		s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		v := s.View()
		for i := range v.Len() {
			e, err := v.Entry(i)
			if err != nil {
				t.Fatal(err)
			}
			m, ok := e.(*format.MessageEntry)
			if !ok {
				continue
			}
			content, _ := format.ContentOf(m.Message)
			text := strings.FieldsFunc(strings.ToLower(content.Text+" "+content.Joined()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			if !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(text, w) }) && (not == "" || !slices.Contains(text, not)) {
				found = append(found, s.ID()+"/"+e.Head().ID)
			}
		}
		s.Close()
	}
	slices.Sort(found)
	return found
}

// On random stores, random queries find the same with the index, without it, with a
// part of it, and by a plain loop over decoded entries.
func TestSearchEqualsAPlainLoop(t *testing.T) {
	words := []string{"error", "in", "the", "parser", "main", "go", "42", "überall", "fixed", "Linker", "ELF", "x"}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 43))
		dir, cache := t.TempDir(), t.TempDir()
		text := func() string {
			var b strings.Builder
			for range 1 + r.IntN(12) {
				b.WriteString(words[r.IntN(len(words))])
				b.WriteString([]string{" ", ", ", "-", `\n`, "/"}[r.IntN(5)])
			}
			return `"` + b.String() + `"`
		}
		o := inDir(t, dir)
		o.Limit = 10_000
		var paths []string
		add := func() {
			for range 4 {
				lines := []string{}
				for n := range 1 + r.IntN(30) {
					lines = append(lines, message(n+1, []string{"user", "assistant", "toolResult"}[r.IntN(3)], text()))
				}
				id := fmt.Sprint("s", len(paths))
				paths = append(paths, write(t, filepath.Join(dir, id+".jsonl"), session(id, "/w", lines...)))
			}
		}
		add()
		half, whole := o, o
		half.Index, whole.Index = openIndex(t, cache), openIndex(t, t.TempDir())
		fill(t, half.Index, o)
		add()
		fill(t, whole.Index, o)
		for range 25 {
			wanted := []string{}
			for range 1 + r.IntN(3) {
				wanted = append(wanted, strings.ToLower(words[r.IntN(len(words))]))
			}
			query, not := strings.Join(wanted, " "), ""
			if r.IntN(3) == 0 {
				not = strings.ToLower(words[r.IntN(len(words))])
				query += " -" + not
			}
			want := plainSearch(t, paths, wanted, not)
			for name, o := range map[string]struct{ found []string }{
				"no index": {strings.Fields(entries(ask(t, query, o)))}, "half": {strings.Fields(entries(ask(t, query, half)))}, "whole": {strings.Fields(entries(ask(t, query, whole)))},
			} {
				slices.Sort(o.found)
				if !slices.Equal(o.found, want) {
					t.Errorf("seed %d, %s: Search(%s) = %q; want %q", seed, name, query, o.found, want)
				}
			}
		}
	}
}
