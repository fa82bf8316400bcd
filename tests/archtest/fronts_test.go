package archtest_test

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fronts are the front ends. They use the services of the library through package ops.
var fronts = []string{"cmd/pith/internal/cli", "cmd/pith/internal/tui", "cmd/pith/internal/webui", "cmd/pith/internal/rpcserver", "cmd/pith/internal/mcpserver"}

var service = regexp.MustCompile(`^` + regexp.QuoteMeta(module) + `/((?:catalog|redact|export|doctor|replica|internal/(?:housekeeping|blame|edits|recall|cache|sources))(?:/.*)?)$`)

// direct are the functions of services that a front end still calls. The list only shrinks.
var direct = map[string]string{
	"cmd/pith/internal/cli/lookup": "catalog.CacheDir catalog.OpenIndex catalog/query.IsFilter catalog/query.Join catalog/query.Last catalog/query.List catalog/query.Parse catalog/query.Sources catalog/query.Within catalog/search.Fill catalog/search.OpenIndex catalog/search.Started internal/cache.CheckPrivate internal/housekeeping/marks.Open",
}

// TestFrontEnds checks that front ends reach services through the use cases. They may name
// the types that use cases return and ask them for what they know, but they call no
// function of a service and no method of one that takes a context, which is one that works.
func TestFrontEnds(t *testing.T) {
	from := importer.ForCompiler(token.NewFileSet(), "gc", compiled(t, "./..."))
	files := map[string][]string{}
	for file := range sources(t) {
		if pkg := filepath.ToSlash(filepath.Dir(file)); below(pkg, fronts...) {
			files[pkg] = append(files[pkg], file)
		}
	}
	calls := 0
	for _, pkg := range slices.Sorted(maps.Keys(files)) {
		found := map[string]token.Position{}
		set, info := token.NewFileSet(), &types.Info{Uses: map[*ast.Ident]types.Object{}}
		var parsed []*ast.File
		for _, file := range files[pkg] {
			if !matches(file) {
				continue
			}
			f, err := parser.ParseFile(set, filepath.Join(top, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
		if _, err := (&types.Config{Importer: from}).Check(module+"/"+pkg, set, parsed, info); err != nil {
			t.Fatal(err)
		}
		for id, o := range info.Uses {
			f, ok := o.(*types.Func)
			if !ok || f.Pkg() == nil {
				continue
			}
			calls++
			m := service.FindStringSubmatch(f.Pkg().Path())
			if m == nil {
				continue
			}
			sig := f.Type().(*types.Signature)
			if sig.Recv() == nil || sig.Params().Len() > 0 && sig.Params().At(0).Type().String() == "context.Context" {
				found[m[1]+"."+f.Name()] = set.Position(id.Pos())
			}
		}
		known := strings.Fields(direct[pkg])
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if !slices.Contains(known, name) {
				t.Errorf("%v: %s; use a function of package ops, or add one", found[name], name)
			}
		}
		for _, name := range known {
			if _, ok := found[name]; !ok {
				t.Errorf("%s does not use %s any more: take it off the list", pkg, name)
			}
		}
	}
	if calls == 0 {
		t.Error("no calls seen: this test tests nothing")
	}
}

// matches reports whether a file is built here.
func matches(file string) bool {
	ok, err := build.Default.MatchFile(filepath.Join(top, filepath.Dir(file)), filepath.Base(file))
	return err == nil && ok
}
