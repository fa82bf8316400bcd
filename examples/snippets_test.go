// Package examples_test checks what documents quote from the examples.
package examples_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quoted  = regexp.MustCompile("(?s)<!-- (\\S+\\.go): (\\w+) -->\n```go\n(.*?)```")
	snippet = regexp.MustCompile(`(?s)\n(\t*)// snippet: (\w+)\n(.*?)\n\t*// end\n`)
)

// TestDocumentsQuoteTheExamples checks that all Go code in the documents is, word for
// word, code that is compiled and tested. A comment before each piece names its file.
func TestDocumentsQuoteTheExamples(t *testing.T) {
	files := []string{filepath.Join("..", "README.md")}
	err := filepath.WalkDir(filepath.Join("..", "docs"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		quotes := quoted.FindAllStringSubmatch(string(text), -1)
		if n := strings.Count(string(text), "```go\n"); n != len(quotes) {
			t.Errorf("%s: %d pieces of Go, %d of them name their example", file, n, len(quotes))
		}
		compare(t, file, quotes)
	}
}

// compare reports quotes of a file that are not as in their examples.
func compare(t *testing.T, file string, quotes [][]string) {
	t.Helper()
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
			t.Errorf("%s: %s is\n%s\nand %s has\n%s", q[1], q[2], want, file, got)
		}
	}
}
