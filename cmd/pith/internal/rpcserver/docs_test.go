package rpcserver_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// The page for clients names every method and every error, and none that do not
// exist; so does the package comment for the errors.
func TestDocsAreComplete(t *testing.T) {
	page := read(t, filepath.Join("..", "..", "..", "..", "docs", "reference", "rpc.md"))
	var methods []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-zA-Z]+)` \\|").FindAllStringSubmatch(page, -1) {
		methods = append(methods, m[1])
	}
	slices.Sort(methods)
	if want := methodNames(dial(t, rpcserver.Options{})); !slices.Equal(methods, want) {
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
