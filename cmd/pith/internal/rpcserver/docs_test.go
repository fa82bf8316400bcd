package rpcserver_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

var update = flag.Bool("update", false, "rewrite the parameters in docs/reference/rpc.md")

// methodRow is the row of a method: its name and its parameters.
var methodRow = regexp.MustCompile("(?m)^\\| `([a-zA-Z]+)` \\| (?:`([^`]*)` )?\\|")

// The page for clients names every method with its parameters and every error, and none
// that do not exist; so does the package comment for the errors.
func TestDocsAreComplete(t *testing.T) {
	file := filepath.Join("..", "..", "..", "..", "docs", "reference", "rpc.md")
	page := read(t, file)
	methods := map[string]string{}
	generated := methodRow.ReplaceAllStringFunc(page, func(row string) string {
		m := methodRow.FindStringSubmatch(row)
		methods[m[1]] = m[2]
		if params := rpcserver.Signatures()[m[1]]; params != "" {
			return fmt.Sprintf("| `%s` | `%s` |", m[1], params)
		}
		return fmt.Sprintf("| `%s` | |", m[1])
	})
	if *update {
		if err := os.WriteFile(file, []byte(generated), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want := rpcserver.Signatures(); !maps.Equal(methods, want) {
		t.Errorf("docs/reference/rpc.md describes the methods\n%q\nwant\n%q", methods, want)
	}
	tables := map[string]map[int]string{
		"docs/reference/rpc.md": errorTable(t, page, "(?m)^\\| (-32\\d+) \\| `([a-zA-Z]+)` \\|"),
		"package comment":       errorTable(t, read(t, "doc.go"), `(?m)^//\t(-32\d+)  ([a-zA-Z]+) `),
	}
	for name, got := range tables {
		if want := rpcserver.Kinds(); !maps.Equal(got, want) {
			t.Errorf("%s has the errors\n%v\nwant\n%v", name, got, want)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func errorTable(t *testing.T, text, row string) map[int]string {
	t.Helper()
	table := map[int]string{}
	for _, m := range regexp.MustCompile(row).FindAllStringSubmatch(text, -1) {
		code, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		table[code] = m[2]
	}
	return table
}
