package search_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/tests/corpus"
)

func TestWords(t *testing.T) {
	tests := map[string]string{
		"":                       "",
		"Hello, World!":          "hello world",
		"snake_case kebab-case":  "snake case kebab case",
		"x1 2y 3.14":             "x1 2y 3 14",
		"ÄÖÜ größe ÇA":           "aou große ca",
		"日本語abc":                 "日 本 語 abc",
		"한국어":                    "한 국 어",
		"ไทย":                    "ไ ท ย",
		"\u212a kelvin":          "\u212a kelvin",
		"e\u0301te\u0301":        "ete",
		"a \u0301\u0302 b":       "a b",
		"\u0301日\u0301本":         "日 本",
		"Việt İzmir Ёлка ά":      "viet izmir елка α",
		"が कि \u05d0\u05b4":      "が कि \u05d0\u05b4", // marks that make another word
		strings.Repeat("x", 100): strings.Repeat("x", 64),
		"bad \xff utf8":          "bad utf8",
	}
	for text, want := range tests {
		if got := strings.Join(search.Words(text), " "); got != want {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	}
}

// No line is left out that matches, however the file escapes it (S2).
func FuzzNeeded(f *testing.F) {
	for _, s := range [][2]string{
		{"The Linker is slow", "linker"}, {"größe GRÖßE", "größe"}, {"日本語", "本語"}, {`say "hi" \ there/now`, `"hi there now"`},
		{"ſ long s and \u212a", "re:(?i)sk*"}, {"tab\tand\nnewline", `re:\s+and`}, {"Привет", "привет"}, {"prefix_word", "pre*"},
		{"a/b/c.go", "b/c.go"}, {"it's <b>&amp;</b>", "re:<b>&"}, {"K and k", "k"}, {"bytes", "\xe6"},
		{"Un CAFÉ noir", "cafe"}, {"cafe\u0301s", "cafe*"}, {"plain cafe", "café"}, {"мой ёж", "еж"}, {"ο\u0313\u0301ψις ά", "α"}, {"x\u0301y\u0302", "xy"},
		{"كت\u0308اب", "كتاب"}, {"e\u0301", "E"}, {"\xc3été", "ete"}, {"Å\u212b", "a"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		q, err := parse(query)
		if err != nil || len(q.Terms) == 0 || q.Filters.Has("since", "until") {
			return // no query, or one that is not about text alone
		}
		plain, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		escaped := strconv.QuoteToASCII(strings.ToValidUTF8(text, ""))
		var all []string
		for _, content := range []string{string(plain), escaped} {
			if !json.Valid([]byte(content)) {
				continue
			}
			all = append(all, message(1, "user", content), message(2, "assistant", `"other"`))
		}
		lines := []byte(strings.Join(all, "\n"))
		quick, slow, err := search.ScanLines(t.Context(), q, lines)
		if err != nil || quick != slow {
			t.Errorf("text %q, query %q: %d lines, %d if all are decoded, %v", text, query, quick, slow, err)
		}
	})
}

// Odd files are searched without a fault, and alike with an index.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	for i, odd := range corpus.Odd() {
		write(t, filepath.Join(dir, fmt.Sprintf("%03d.jsonl", i)), string(odd.Bytes))
	}
	plain := inDir(t, dir)
	plain.Limit = 100_000
	indexed := plain
	indexed.Index = openIndex(t, t.TempDir())
	fill(t, indexed.Index, indexed)
	queries := []string{"hello", "a", "the", "re:[a-z]", "branch:active hello", "role:user"}
	if testing.Short() {
		queries = queries[:1]
	}
	found := 0
	for _, query := range queries {
		want, got := ask(t, query, plain), ask(t, query, indexed)
		if entries(got) != entries(want) {
			t.Errorf("Search(%s)\nwith index    %s\nwithout index %s", query, entries(got), entries(want))
		}
		found += len(want.Hits)
	}
	if found == 0 {
		t.Error("nothing was found: this test tests nothing")
	}
}
