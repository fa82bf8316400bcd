package archtest_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
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
		"position.go":               {"Journal", "mu", "pen", "sync"},
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

// TestRootFiles checks that a file of the root names only what the files before it
// define, so that they can be read in this order.
func TestRootFiles(t *testing.T) {
	order := []string{
		"doc.go", "errors.go", "encode.go", "openclaw.go", "place.go", "view.go", "reader.go", "node.go", "context.go", "session.go",
		"position.go", "create.go", "ohmypi.go", "open.go", "held.go", "write.go", "leaf.go", "close.go", "append.go", "fork.go",
	}
	set := token.NewFileSet()
	files := make([]*ast.File, len(order))
	for i, name := range order {
		var err error
		if files[i], err = parser.ParseFile(set, filepath.Join(top, name), nil, parser.SkipObjectResolution); err != nil {
			t.Fatal(err)
		}
	}
	uses := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(set, "gc", compiled(t, "."))}
	pkg, err := conf.Check(module, set, files, uses)
	if err != nil {
		t.Fatalf("%v; is a file of the root not in the list?", err)
	}
	rank := func(at token.Pos) int { return slices.Index(order, filepath.Base(set.Position(at).Filename)) }
	for id, object := range uses.Uses {
		if object.Pkg() == pkg && rank(object.Pos()) > rank(id.Pos()) {
			t.Errorf("%s names %s of %s, which comes after it", order[rank(id.Pos())], object.Name(), order[rank(object.Pos())])
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
