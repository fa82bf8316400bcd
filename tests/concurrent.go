package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// starters are packages of ours that start goroutines for those who call them. What
// other packages start is their own tests' matter.
var starters = []string{
	"github.com/pith-sessions/pith/internal/parallel",
	"github.com/pith-sessions/pith/store/storetest",
	"github.com/pith-sessions/pith/llm/llmtest",
}

// startingNames are methods and functions of others that start goroutines: of a
// WaitGroup or an errgroup, of a test, of net/http/httptest.
var startingNames = []string{"Go", "NewServer", "NewTLSServer", "NewUnstartedServer", "Parallel"}

// unwatchedTests are tests that the race detector does not take, by package; nil for all of
// it. What is side by side there are programs: pi, ours as it is released, a browser that
// shows a page. What of ours runs meanwhile, other tests run with it.
var unwatchedTests = map[string][]string{
	"github.com/pith-sessions/pith/tests/conformance":       nil,
	"github.com/pith-sessions/pith/export":                  {"TestPageInBrowser", "TestPageOnAPhone", "TestPassword"},
	"github.com/pith-sessions/pith/cmd/pith/internal/webui": {"TestHostileTextInBrowser"},
}

// throughPrograms are packages whose tests mostly start programs and wait for them, some
// side by side. The race detector takes only tests that start goroutines in their own
// file, and those named here.
var throughPrograms = map[string][]string{
	"github.com/pith-sessions/pith/cmd/pith/internal/cli": {"TestScripts"}, // every command once
}

// A testFunc is what go test -run can choose: a test, an example, a fuzz target.
type testFunc struct {
	name  string
	raced bool // it reaches a goroutine
	short bool // it looks at testing.Short
}

// A declared is what a package declares under one name: a function, methods, a type
// with its methods, a variable.
type declared struct {
	mentions map[string]bool // names within the package
	starts   bool            // a goroutine
	short    bool            // asks testing.Short
}

// A graph is what a package declares, by name. It knows no types: where a name could
// mean several things, it means all of them, so that too much is reached, not too little.
type graph map[string]*declared

// tests are what go test runs of a package. reached names what the starters declare
// that starts goroutines, as package.Name.
func (p source) tests(reached map[string]bool) ([]testFunc, error) {
	all, names, err := p.read(slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles), reached)
	if err != nil {
		return nil, err
	}
	unwatched, some := unwatchedTests[p.ImportPath]
	out := make([]testFunc, len(names))
	for i, name := range names {
		d := all.reach(name)
		watched := !some || unwatched != nil && !slices.Contains(unwatched, name)
		out[i] = testFunc{name: name, raced: watched && d.starts && strings.HasPrefix(name, "Test"), short: d.short}
	}
	named, ok := throughPrograms[p.ImportPath]
	if !ok {
		return out, nil
	}
	for _, file := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		own, _, err := p.read([]string{file}, reached)
		if err != nil {
			return nil, err
		}
		for i, t := range out {
			if own[t.name] != nil {
				out[i].raced = own.reach(t.name).starts || slices.Contains(named, t.name)
			}
		}
	}
	return out, nil
}

// readStarters tells which functions of the starters start goroutines.
func readStarters(packages []source) (map[string]bool, error) {
	reached := map[string]bool{}
	for _, p := range packages {
		if !slices.Contains(starters, p.ImportPath) {
			continue
		}
		g, _, err := p.read(p.GoFiles, nil)
		if err != nil {
			return nil, err
		}
		for name := range g {
			if g.reach(name).starts {
				reached[p.ImportPath+"."+name] = true
			}
		}
	}
	return reached, nil
}

// A file is what must be known of a file to read its declarations.
type file struct {
	path    string            // of the package that it tests or belongs to
	imports map[string]string // paths by name
	reached map[string]bool   // what starters start
}

// read makes the graph of some files, and names the tests in them.
func (p source) read(files []string, reached map[string]bool) (graph, []string, error) {
	g := graph{}
	var tests []string
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		within := file{path: p.ImportPath, imports: importsOf(f), reached: reached}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					// Whoever has the type may call its methods through an interface.
					g.at(receiver(d)).mentions[d.Name.Name] = true
				} else if strings.HasSuffix(name, "_test.go") && isTest(d.Name.Name) {
					tests = append(tests, d.Name.Name)
				}
				g.at(d.Name.Name).take(d, within)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						g.at(s.Name.Name).take(s.Type, within)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							g.at(n.Name).take(s, within)
						}
					}
				}
			}
		}
	}
	return g, tests, nil
}

func (g graph) at(name string) *declared {
	if g[name] == nil {
		g[name] = &declared{mentions: map[string]bool{}}
	}
	return g[name]
}

// take adds what a piece of code mentions and starts.
func (d *declared) take(code ast.Node, within file) {
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			d.starts = true
		case *ast.Ident:
			d.mentions[n.Name] = true
		case *ast.SelectorExpr:
			_, waits := throughPrograms[within.path]
			d.starts = d.starts || slices.Contains(startingNames, n.Sel.Name) && !(waits && n.Sel.Name == "Parallel")
			x, ok := n.X.(*ast.Ident)
			if !ok || within.imports[x.Name] == "" {
				return true
			}
			from := within.imports[x.Name]
			d.starts = d.starts || within.reached[from+"."+n.Sel.Name]
			d.short = d.short || from == "testing" && n.Sel.Name == "Short"
			if from == within.path {
				d.mentions[n.Sel.Name] = true
			}
			return false
		}
		return true
	})
}

// reach adds up what a name and everything that it mentions do.
func (g graph) reach(name string) declared {
	var sum declared
	seen, next := map[string]bool{name: true}, []string{name}
	for len(next) > 0 {
		d := g[next[0]]
		next = next[1:]
		sum.starts, sum.short = sum.starts || d.starts, sum.short || d.short
		for m := range d.mentions {
			if g[m] != nil && !seen[m] {
				seen[m] = true
				next = append(next, m)
			}
		}
	}
	return sum
}

func isTest(name string) bool {
	return name != "TestMain" && slices.ContainsFunc([]string{"Test", "Example", "Fuzz"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// receiver is the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			panic(fmt.Sprintf("a receiver of type %T", x))
		}
	}
}

// importsOf are the paths of the packages that a file imports, by their names there.
func importsOf(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value) // the parser checked it
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		out[name] = p
	}
	return out
}
