package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// throughProcesses are packages whose tests mostly start programs and wait for them.
// The race detector sees nothing in these, so that it takes only the tests in files
// that start goroutines themselves.
var throughProcesses = []string{"github.com/pith-sessions/pith/tests/conformance"}

// A source is a package with the files of one platform.
type source struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// A selection is what one go test runs: packages, and of them the tests of a pattern; all
// where the pattern is empty.
type selection struct {
	packages []string
	tests    string
}

// plan says which tests run with the race detector, and which packages without. A
// package has concurrency when it starts goroutines, itself or in its tests, or has
// others start them.
func plan(packages []source) (raced []selection, plain selection, err error) {
	var whole selection
	for _, p := range packages {
		var own, tests bool
		var names []string
		for _, name := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, selection{}, err
			}
			switch {
			case !concurrent(f):
			case strings.HasSuffix(name, "_test.go"):
				tests = true
				names = append(names, testsOf(f)...)
			default:
				own = true
			}
		}
		switch {
		case slices.Contains(throughProcesses, p.ImportPath):
			plain.packages = append(plain.packages, p.ImportPath)
			if len(names) > 0 {
				raced = append(raced, selection{[]string{p.ImportPath}, "^(" + strings.Join(names, "|") + ")$"})
			}
		case own || tests:
			whole.packages = append(whole.packages, p.ImportPath)
		default:
			plain.packages = append(plain.packages, p.ImportPath)
		}
	}
	if len(whole.packages) > 0 {
		raced = append([]selection{whole}, raced...)
	}
	return raced, plain, nil
}

// concurrent reports whether a file starts goroutines or hands functions to those who
// do: a WaitGroup's Go, a test's Parallel, package parallel.
func concurrent(f *ast.File) bool {
	for _, i := range f.Imports {
		if strings.HasSuffix(i.Path.Value, `/internal/parallel"`) || strings.HasSuffix(i.Path.Value, `/errgroup"`) {
			return true
		}
	}
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		switch v := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.SelectorExpr:
			found = found || v.Sel.Name == "Go" || v.Sel.Name == "Parallel"
		}
		return !found
	})
	return found
}

func testsOf(f *ast.File) []string {
	var out []string
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" {
			out = append(out, fn.Name.Name)
		}
	}
	return out
}

// modulePackages are the packages of this module.
func modulePackages(ctx context.Context) ([]source, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []source
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p source
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}
