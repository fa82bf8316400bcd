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

// starters are packages of this module that start goroutines for their callers.
// Goroutines of other packages are covered by their own tests.
var starters = []string{
	"github.com/pith-sessions/pith/internal/parallel",
	"github.com/pith-sessions/pith/store/storetest",
	"github.com/pith-sessions/pith/llm/llmtest",
}

// startingNames are methods and functions of other modules that start
// goroutines: of a WaitGroup or an errgroup, of a test, of net/http/httptest.
var startingNames = []string{"Go", "NewServer", "NewTLSServer", "NewUnstartedServer", "Parallel"}

// unwatchedTests are tests that do not run with the race detector, by package;
// nil for all tests of it. Concurrency there is between programs: pi, pith as
// released, a browser. Other tests run the same code with the race detector.
// The tests of this package listed here are sequential and read many sources.
var unwatchedTests = map[string][]string{
	"github.com/pith-sessions/pith/tests/conformance":       nil,
	"github.com/pith-sessions/pith/export":                  {"TestPageInBrowser", "TestPageOnAPhone", "TestPageThatIsHardWork", "TestPassword", "TestTamperedPassword"},
	"github.com/pith-sessions/pith/cmd/pith/internal/webui": {"TestHostileTextInBrowser"},
	"github.com/pith-sessions/pith/tests":                   {"TestPlanLeavesNothingOut", "TestPlanNamesWhatExists", "TestTypecheck"},
}

// throughPrograms are packages whose tests mostly start programs and wait for
// them. Only tests that start goroutines in their own file, and those named
// here, run with the race detector.
var throughPrograms = map[string][]string{
	"github.com/pith-sessions/pith/cmd/pith/internal/cli": {"TestScripts"}, // every command once
}

// A testFunc is a function that go test -run can select: a test, an example, a
// fuzz target.
type testFunc struct {
	name  string
	raced bool // it reaches a goroutine
	short bool // it looks at testing.Short
}

// A declared describes the declarations of a package with one name: a function,
// methods, a type with its methods, a variable.
type declared struct {
	mentions map[string]bool // names within the package
	starts   bool            // starts a goroutine
	short    bool            // calls testing.Short
}

// A graph holds the declarations of a package by name. It has no types: an
// ambiguous name means all of its declarations, so that too much is reached,
// not too little.
type graph map[string]*declared

// tests returns the tests of a package. reached names the functions of the
// starters that start goroutines, as package.Name.
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

// readStarters returns the functions of the starters that start goroutines.
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

// A file is the context for reading the declarations of a file.
type file struct {
	path    string            // of the package that it tests or belongs to
	imports map[string]string // paths by name
	reached map[string]bool   // functions of starters that start goroutines
}

// read builds the graph of some files, and returns the names of their tests.
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
					// A user of the type may call its methods through an
					// interface.
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

// take adds the names and goroutines of a piece of code.
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

// reach combines a name and everything that it mentions.
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

// receiver returns the name of a method's type.
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

// importsOf returns the import paths of a file by their names in it.
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
