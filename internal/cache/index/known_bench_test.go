package index_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/cache/index"
)

// BenchmarkKnown asks an index of 60,000 documents which forms of three words it has.
func BenchmarkKnown(b *testing.B) {
	x, err := index.OpenTexts(filepath.Join(b.TempDir(), "text.db"), 1)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	rnd := rand.New(rand.NewPCG(1, 2))
	stems := []string{"plan", "fix", "search", "index", "table", "write", "read", "test", "file", "open"}
	endings := []string{"", "s", "ed", "er", "ers", "ing", "ning", "ation", "able", "ture", "out", "et"}
	for n := range 60 {
		texts := make([]string, 1000)
		for i := range texts {
			var t strings.Builder
			for range 60 {
				switch rnd.IntN(3) {
				case 0:
					t.WriteString(" " + stems[rnd.IntN(len(stems))] + endings[rnd.IntN(len(endings))])
				case 1:
					fmt.Fprintf(&t, " %s%d", stems[rnd.IntN(len(stems))], rnd.IntN(3000))
				default:
					fmt.Fprintf(&t, " w%d", rnd.IntN(200_000))
				}
			}
			texts[i] = t.String()
		}
		if err := x.Add(b.Context(), index.Addition{Path: fmt.Sprint(n), State: []byte("1"), Places: []byte("p"), Documents: docs(texts...)}); err != nil {
			b.Fatal(err)
		}
	}
	forms := func(stem string) []string {
		return []string{stem, stem + "able", stem + "ed", stem + "er", stem + "ers", stem + "es", stem + "est", stem + "ied", stem + "ing", stem + "ings", stem + "ly", stem + "ned", stem + "ning", stem + "s"}
	}
	for b.Loop() {
		got, err := x.Known(b.Context(), forms("plan"), forms("search"), forms("index"))
		if err != nil || len(got[0]) < 4 {
			b.Fatal(got, err)
		}
	}
}
