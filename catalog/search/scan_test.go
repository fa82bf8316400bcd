package search_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/tests/corpus"
)

// The quick searches find what the slow ones find, at every place of a block.
func TestNeedlesAreFound(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const alphabet = "aAbBkK\\u09|[{\"é"
	some := func(n int) []byte {
		out := make([]byte, n)
		for i := range out {
			out[i] = alphabet[random.IntN(len(alphabet))]
		}
		return out
	}
	behind := func(block, text []byte, from int) int {
		if i := bytes.Index(block[from:], text); i >= 0 {
			return from + i
		}
		return -1
	}
	for range 20_000 {
		block, text := some(random.IntN(120)), some(1+random.IntN(4))
		from := random.IntN(len(block) + 1)
		if got, want := search.Find(text, block, from), behind(asciiLower(block), asciiLower(text), from); got != want {
			t.Fatalf("Find(%q, %q, %d) = %d, want %d", text, block, from, got, want)
		}
		if got, want := search.FindEscape(block, from), behind(block, []byte(`\u`), from); got != want {
			t.Fatalf("FindEscape(%q, %d) = %d, want %d", block, from, got, want)
		}
	}
}

func asciiLower(b []byte) []byte {
	out := bytes.Clone(b)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return out
}

// S4: what an expression must hold.
func TestNeedlesOfExpressions(t *testing.T) {
	tests := map[string]string{
		`error`:            "error",
		`func \w+\(`:       "func ",
		`(?i)error`:        "error",
		`(?i)task`:         "ta",
		`foo|barbaz`:       "foo barbaz",
		`foo|.*`:           "",
		`a?(bc)+d*`:        "bc",
		`x{0,3}`:           "",
		`(longer){2}or`:    "longer",
		`\d+`:              "",
		`"quoted"`:         "quoted",
		`日本`:               "日本",
		`a/b\\cde`:         "cde",
		`(a|b)(hello|bye)`: "hello bye",
	}
	for expr, want := range tests {
		if got := strings.Join(search.Needles(expr), " "); got != want {
			t.Errorf("Needles(%s) = %q, want %q", expr, got, want)
		}
	}
}

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

// A prefilter never hides what the text holds, however the file escapes it (S2).
func FuzzPrefilter(f *testing.F) {
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
			t.Errorf("text %q, query %q: %d lines with the prefilter, %d without, %v", text, query, quick, slow, err)
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
