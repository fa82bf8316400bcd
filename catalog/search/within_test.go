package search_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pith-sessions/pith/catalog/search"
)

// Each term may be in another entry, and be a part of a word.
func TestWithin(t *testing.T) {
	dir := t.TempDir()
	var in []search.Candidate
	for name, texts := range map[string][]string{
		"apart.jsonl": {"the Checkpoints are slow", "and the tokenizer too"}, "one.jsonl": {"a checkpoint"}, "none.jsonl": {"nothing"},
	} {
		var lines []string
		for i, text := range texts {
			lines = append(lines, message(i+1, "user", `"`+text+`"`))
		}
		write(t, filepath.Join(dir, name), strings.Join(lines, "\n")+"\n")
	}
	for _, name := range []string{"apart.jsonl", "gone.jsonl", "none.jsonl", "one.jsonl"} {
		in = append(in, search.Candidate{Path: filepath.Join(dir, name)})
	}
	for name, tt := range map[string]struct {
		terms []string
		known uint64 // of the last candidate
		want  []string
	}{
		"a part of a word":      {terms: []string{"heckpoin"}, want: []string{"apart.jsonl", "", "", "one.jsonl"}},
		"in different entries":  {terms: []string{"checkpoint", "token"}, want: []string{"apart.jsonl", "", "", ""}},
		"one of them is known":  {terms: []string{"checkpoint", "token"}, known: 2, want: []string{"apart.jsonl", "", "", "one.jsonl"}},
		"all of them are known": {terms: []string{"zzz"}, known: 1, want: []string{"", "", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			in[3].Known = tt.known
			var terms []search.Term
			for _, word := range tt.terms {
				terms = append(terms, search.Term{Regexp: regexp.MustCompile("(?i)" + word)})
			}
			var got []string
			for probe := range search.Within(t.Context(), terms, in) {
				if gone := len(got) == 1; (probe.Err != nil) != gone {
					t.Errorf("candidate %d: %v", len(got), probe.Err)
				}
				base := ""
				if probe.Found != nil {
					base = filepath.Base(probe.Found.Path)
					if probe.Found.EntryID == "" || !strings.Contains(strings.ToLower(probe.Found.Snippet.Text), tt.terms[0]) {
						t.Errorf("found at %q: %q", probe.Found.EntryID, probe.Found.Snippet.Text)
					}
				}
				got = append(got, base)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Within(%q) differs (-want +got):\n%s", tt.terms, diff)
			}
		})
	}
}
