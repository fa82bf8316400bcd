// Package archtest holds the test of the layout: a package imports only
// packages of its own layer or below.
package archtest_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/pith-sessions/pith"

// floors are the layers from the bottom up. A name means the package and
// everything below its directory; of two matching names the longer one counts.
var floors = [][]string{
	{"internal/jsonl"},
	{"format", "store"},
	{"internal"},
	{"sessiondir", root},
	{"compact", "inspect", "internal/opencalls", "internal/sessionstats", "internal/subagent", "llm", "agent"},
	{"catalog", "internal/blame", "internal/edits", "internal/recall", "internal/sources"},
	{"internal/housekeeping", "doctor", "redact", "export", "internal/page", "replica"},
	{"cmd", "integrations"},
	{"tests"},
	{"examples"},
}

const root = "."

// core is what others build on: it takes the standard library and golang.org/x
// only, but for the databases of the cache and of PostgreSQL.
var core = map[string]bool{"internal": true, "internal/jsonl": true, "format": true, "store": true, "sessiondir": true, root: true, "compact": true}

var withModules = []string{"internal/cache", "store/pgstore", "compact/summarize"}

// TestSQLite checks that one package opens the database of pith's own data, and
// one the databases of other programs.
func TestSQLite(t *testing.T) {
	for file, imports := range sources(t) {
		for _, path := range imports {
			pkg := filepath.ToSlash(filepath.Dir(file))
			if strings.HasPrefix(path, "modernc.org/sqlite") && pkg != "internal/cache" && pkg != "internal/sources" {
				t.Errorf("%s opens SQLite; use internal/cache", file)
			}
		}
	}
}

func TestImports(t *testing.T) {
	seen := 0
	for file, imports := range sources(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		group, floor := place(pkg)
		if floor < 0 {
			t.Errorf("%s: package %q is on no floor of the house; give it one", file, pkg)
			continue
		}
		for _, path := range imports {
			seen++
			if inner, ours := strings.CutPrefix(path+"/", module+"/"); ours {
				target := strings.TrimSuffix(inner, "/")
				if target == "" {
					target = root
				}
				if _, above := place(target); above > floor || above < 0 {
					t.Errorf("%s imports %s, which stands above it", file, path)
				}
				continue
			}
			first, _, _ := strings.Cut(path, "/")
			if core[group] && !below(pkg, withModules...) && strings.Contains(first, ".") && !strings.HasPrefix(path, "golang.org/x/") {
				t.Errorf("%s imports %s; %q takes only the standard library and golang.org/x", file, path, pkg)
			}
		}
	}
	if seen == 0 {
		t.Fatal("no imports seen: this test tests nothing")
	}
}

// place is the name that decides for a package, and its floor; -1 for none.
func place(pkg string) (group string, floor int) {
	floor = -1
	for i, names := range floors {
		for _, name := range names {
			if below(pkg, name) && len(name) > len(group) {
				group, floor = name, i
			}
		}
	}
	return group, floor
}

func below(pkg string, names ...string) bool {
	for _, name := range names {
		if pkg == name || name != root && strings.HasPrefix(pkg, name+"/") {
			return true
		}
	}
	return false
}

// sources are the imports of every Go file that is not a test. It reads the
// files instead of asking the go command, whose answer the test cache keeps.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(top, file)
		if err != nil {
			t.Fatal(err)
		}
		out[rel] = []string{}
		for _, spec := range f.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			out[rel] = append(out[rel], p)
		}
	}
	return out
}

// top is the directory of the module.
var top = filepath.Join("..", "..")

// goFiles are the paths of all Go files outside testdata.
func goFiles(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
