// Package examples_test checks what documents quote from the examples.
package examples_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quoted  = regexp.MustCompile("(?s)<!-- (examples/\\S+): (\\w+) -->\n```go\n(.*?)```")
	snippet = regexp.MustCompile(`(?s)\n(\t*)// snippet: (\w+)\n(.*?)\n\t*// end\n`)
)

// Every piece of Go in the how-to is in the example that it names, word for word.
func TestDocumentsQuoteTheExamples(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "how-to", "go-agents.md"))
	if err != nil {
		t.Fatal(err)
	}
	quotes := quoted.FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "```go\n"); n != len(quotes) || n == 0 {
		t.Errorf("%d pieces of Go, %d of them name their example", n, len(quotes))
	}
	for _, q := range quotes {
		source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(q[1])))
		if err != nil {
			t.Error(err)
			continue
		}
		want := ""
		for _, s := range snippet.FindAllStringSubmatch(string(source), -1) {
			if s[2] == q[2] {
				want = strings.TrimSpace(strings.ReplaceAll("\n"+s[3], "\n"+s[1], "\n")) + "\n"
			}
		}
		if got := strings.ReplaceAll(q[3], "    ", "\t"); got != want {
			t.Errorf("%s: %s is\n%s\nand the how-to has\n%s", q[1], q[2], want, got)
		}
	}
}
