// Package archtest holds the test that fails when a package imports against the
// layout: a package imports only packages of rows above its own.
package archtest_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/pith-sessions/pith"

// rows is the layout, from the bottom of the house to its roof. A package may
// import those of earlier rows, and of its own row only what lies below it.
var rows = [][]string{
	{"internal/jsonl"},
	{"format"},
	{"store", "store/filestore", "store/memstore", "store/storetest"},
	{"housekeeping/trash"},
	{"internal/flat", "internal/cache/tables"},
	{"internal/envelope"},
	{"internal/patchedlog"},
	{"internal/tree"},
	{"internal/transcript"},
	{"internal/settings"},
	{""}, // the root package
	{"compact"},
	{"internal/cache/index", "internal/parallel", "internal/lines"},
	{"catalog"},
	{"catalog/search"},
	{"inspect/subagent", "inspect/diff"},
	{"inspect"},
	{"catalog/project", "housekeeping/retention", "housekeeping/diskusage", "catalog/cost", "housekeeping/marks", "housekeeping/move"},
	{"doctor"},
	{"llm"},
	{"llm/llmtest"},
	{"compact/summarize"},
	{"agent"},
	{"cmd/pith/internal/userconfig", "cmd/pith/internal/text/termsafe"},
	{"tests/corpus", "tests/testcache"},
	{"cmd/pith/internal/rpcserver"},
	{"cmd/pith/internal/text/outline", "cmd/pith/internal/text/entryline"},
	{"cmd/pith/internal/tui", "cmd/pith/internal/tui/paint", "cmd/pith/internal/tui/latest", "cmd/pith/internal/tui/keys", "cmd/pith/internal/tui/dialog", "cmd/pith/internal/tui/markdown", "cmd/pith/internal/tui/picker", "cmd/pith/internal/tui/treeview", "cmd/pith/internal/tui/conversation", "cmd/pith/internal/tui/screentest"},
	{"cmd/pith/internal/cli"},
	{"cmd/pith"},
	{"tests/interop/pi", "tests", "tests/screenshot", "tests/bench", "tests/archtest", "tests/conformance"},
}

// pure packages import nothing but the standard library and golang.org/x.
var pure = map[string]bool{
	"internal/jsonl": true, "format": true, "internal/flat": true, "internal/cache/tables": true, "internal/envelope": true, "internal/tree": true, "internal/patchedlog": true, "internal/transcript": true, "internal/settings": true,
	"": true, "store": true, "store/filestore": true, "store/memstore": true, "housekeeping/trash": true, "compact": true,
}

// withinRow lists what packages of one row may import of each other.
var withinRow = map[string][]string{
	"store/filestore": {"store"}, "store/memstore": {"store"}, "store/storetest": {"store"},
	"tests/corpus":                 {"tests/testcache"},
	"cmd/pith/internal/tui":        {"cmd/pith/internal/tui/paint", "cmd/pith/internal/tui/latest", "cmd/pith/internal/tui/screentest", "cmd/pith/internal/tui/keys", "cmd/pith/internal/tui/dialog", "cmd/pith/internal/tui/picker", "cmd/pith/internal/tui/treeview", "cmd/pith/internal/tui/conversation"},
	"cmd/pith/internal/tui/dialog": {"cmd/pith/internal/tui/paint", "cmd/pith/internal/tui/keys"}, "cmd/pith/internal/tui/picker": {"cmd/pith/internal/tui/paint", "cmd/pith/internal/tui/latest", "cmd/pith/internal/tui/screentest", "cmd/pith/internal/tui/keys", "cmd/pith/internal/tui/dialog"},
	"cmd/pith/internal/tui/treeview": {"cmd/pith/internal/tui/paint", "cmd/pith/internal/tui/latest", "cmd/pith/internal/tui/screentest", "cmd/pith/internal/tui/keys", "cmd/pith/internal/tui/dialog"}, "cmd/pith/internal/tui/conversation": {"cmd/pith/internal/tui/paint", "cmd/pith/internal/tui/latest", "cmd/pith/internal/tui/screentest", "cmd/pith/internal/tui/keys", "cmd/pith/internal/tui/dialog", "cmd/pith/internal/tui/markdown"},
	"cmd/pith/internal/tui/markdown": {"cmd/pith/internal/tui/paint"}, "cmd/pith/internal/tui/latest": {"cmd/pith/internal/tui/paint"}, "cmd/pith/internal/tui/screentest": {"cmd/pith/internal/tui/paint"},
	"tests/bench": {"tests/interop/pi"}, "tests": {"tests/interop/pi"},
}

func TestImports(t *testing.T) {
	seen, there := 0, map[string]bool{"tests/archtest": true} // which has tests only
	for file, imports := range sources(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		if pkg == "." {
			pkg = ""
		}
		there[pkg] = true
		own, known := rowOf(pkg)
		if !known {
			t.Errorf("%s: package %q is not in the layout; give it a row", file, pkg)
			continue
		}
		for _, path := range imports {
			seen++
			check(t, file, pkg, own, path)
		}
	}
	if seen == 0 {
		t.Fatal("no imports seen: this test tests nothing")
	}
	for _, pkg := range slices.Concat(rows...) {
		if !there[pkg] {
			t.Errorf("the layout has a row for %q, which is no package any more", pkg)
		}
	}
}

func check(t *testing.T, file, pkg string, own int, path string) {
	t.Helper()
	if inner, ours := strings.CutPrefix(path, module); ours {
		target := strings.TrimPrefix(inner, "/")
		row, known := rowOf(target)
		switch {
		case !known:
			t.Errorf("%s imports %s, which is not in the layout", file, path)
		case row > own:
			t.Errorf("%s imports %s, which stands above it", file, path)
		case row == own && !slices.Contains(withinRow[pkg], target):
			t.Errorf("%s imports %s, which stands beside it", file, path)
		}
		return
	}
	first, _, _ := strings.Cut(path, "/")
	if pure[pkg] && strings.Contains(first, ".") && !strings.HasPrefix(path, "golang.org/x/") {
		t.Errorf("%s imports %s; %q takes only the standard library and golang.org/x", file, path, pkg)
	}
}

func rowOf(pkg string) (int, bool) {
	for i, row := range rows {
		if slices.Contains(row, pkg) {
			return i, true
		}
	}
	return 0, false
}

// sources parses the imports of every Go file that is not a test. It reads the
// files instead of asking the go command, whose answer the test cache keeps.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	out := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		out[rel] = []string{}
		for _, spec := range f.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			out[rel] = append(out[rel], p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
