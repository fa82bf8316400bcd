package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// The files of the session build on one another in one direction: append, session,
// journal on one side; view, context and fork, which know only a State, on the
// other. What reads a State takes no lock and builds nothing later, so a getter
// never waits for another goroutine that reads.
func TestCoreByFile(t *testing.T) {
	none := map[string][]string{
		"view.go":                   {"Session", "Journal", "mu", "pen", "sync"},
		"node.go":                   {"Session", "Journal", "mu", "pen", "sync"},
		"reader.go":                 {"Session", "Journal", "mu", "pen", "sync"},
		"context.go":                {"Session", "Journal", "mu", "pen", "sync"},
		"fork.go":                   {"Journal", "mu", "pen", "sync"},
		"append.go":                 {"Journal", "mu", "sync"},
		"internal/journal/state.go": {"Journal", "sync", "Mutex", "Once"},
		"internal/journal/links.go": {"Journal", "sync", "Mutex", "Once"},
		"internal/journal/scan.go":  {"Journal", "sync", "Mutex", "Once"},
		// One call at a time: a Journal holds no lock while it reads or writes.
		"internal/journal/journal.go": {"sync", "Mutex", "Lock"},
	}
	// What appends and forks is used by callers alone, never by what it is made of.
	var upper []string
	for _, name := range []string{"append.go", "fork.go"} {
		for _, d := range parsed(t, name).Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() && fn.Name.Name != "Clone" { // slices has one too
				upper = append(upper, fn.Name.Name)
			}
		}
	}
	for _, name := range []string{"session.go", "leaf.go", "write.go", "view.go", "node.go", "reader.go", "context.go", "internal/journal/journal.go"} {
		none[name] = append(none[name], upper...)
	}
	for name, names := range none {
		f := parsed(t, name)
		used := map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
		for _, name2 := range names {
			if used[name2] {
				t.Errorf("%s names %s", name, name2)
			}
		}
	}
}

// parsed returns the syntax of a file, given from the root.
func parsed(t *testing.T, name string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(top, filepath.FromSlash(name)), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
