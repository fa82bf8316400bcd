package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/pith-sessions/pith/tests/tools"
)

// race tests the packages that start goroutines, whole, with the race detector.
// Goroutines that a package only uses are tested where they start.
func race(ctx context.Context) error {
	if err := have(ctx, []tools.Tool{tools.Compiler}); err != nil {
		return err
	}
	if _, err := tools.Compiler.Find(); err != nil {
		return err // without it, nothing is left of this step
	}
	packages, err := modulePackages(ctx)
	if err != nil {
		return err
	}
	var concurrent []source
	for _, p := range packages {
		starts, err := p.startsGoroutines()
		if err != nil {
			return err
		}
		if starts {
			concurrent = append(concurrent, p)
		}
	}
	fmt.Printf("%d of %d packages start goroutines\n", len(concurrent), len(packages))
	return goTest(ctx, concurrent, []string{"CGO_ENABLED=1"}, append([]string{"-race", "-short"}, unwatched...)...)
}

// unwatched are packages translated from C, in which the race detector finds
// nothing of ours. Excluding them saves a fifth of the work of the index tests.
var unwatched = []string{
	"-gcflags=modernc.org/sqlite/lib=-race=false " + noDebugger,
	"-gcflags=modernc.org/libc=-race=false " + noDebugger,
}

// startsGoroutines reports whether a file of the package, or of its tests, has a
// go statement or calls a method Go, as a WaitGroup and an errgroup have.
func (p source) startsGoroutines() (bool, error) {
	for _, name := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return false, err
		}
		found := false
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = true
			case *ast.CallExpr:
				method, ok := n.Fun.(*ast.SelectorExpr)
				found = found || ok && method.Sel.Name == "Go"
			}
			return !found
		})
		if found {
			return true, nil
		}
	}
	return false, nil
}
