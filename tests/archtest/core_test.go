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
	for name, names := range none {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(top, filepath.FromSlash(name)), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
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
