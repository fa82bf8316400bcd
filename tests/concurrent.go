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

// throughProcesses are packages whose tests mostly start programs and wait for them,
// or work on one thing at a time. The race detector takes only the tests in files that
// start goroutines themselves, and those named here.
var throughProcesses = map[string][]string{
	"github.com/pith-sessions/pith/tests/conformance":     nil,
	"github.com/pith-sessions/pith/cmd/pith/internal/cli": {"TestScripts"}, // every command once
}

// A source is a package with the files of one platform.
type source struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// A selection is what one go test runs: packages, and of their tests those that fit
// one pattern and do not fit another; "" for no pattern.
type selection struct {
	packages  []string
	run, skip string
}

// plan says which tests run with the race detector, and which without; each runs
// once. A package has concurrency when it starts goroutines, itself or in its tests,
// or has others start them.
func plan(packages []source) (raced, plain []selection, err error) {
	var withRace, without selection
	for _, p := range packages {
		own, names, err := p.concurrency()
		if err != nil {
			return nil, nil, err
		}
		more, processes := throughProcesses[p.ImportPath]
		names = append(names, more...)
		switch {
		case processes && len(names) > 0:
			pattern := "^(" + strings.Join(names, "|") + ")$"
			raced = append(raced, selection{packages: []string{p.ImportPath}, run: pattern})
			plain = append(plain, selection{packages: []string{p.ImportPath}, skip: pattern})
		case !processes && (own || len(names) > 0):
			withRace.packages = append(withRace.packages, p.ImportPath)
		default:
			without.packages = append(without.packages, p.ImportPath)
		}
	}
	return append(raced, withRace), append(plain, without), nil
}

// concurrency reports whether the code of a package has concurrency, and which tests
// stand in files that have it.
func (p source) concurrency() (own bool, tests []string, err error) {
	for _, name := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return false, nil, err
		}
		switch {
		case !concurrent(f):
		case strings.HasSuffix(name, "_test.go"):
			tests = append(tests, testsOf(f)...)
		default:
			own = true
		}
	}
	return own, tests, nil
}

// starters are packages that start goroutines for those who import them.
var starters = []string{`/internal/parallel"`, `/errgroup"`, `/store/storetest"`, `/llm/llmtest"`}

// concurrent reports whether a file starts goroutines or hands functions to those who
// do: a WaitGroup's Go, a test's Parallel, a package.
func concurrent(f *ast.File) bool {
	for _, i := range f.Imports {
		if slices.ContainsFunc(starters, func(s string) bool { return strings.HasSuffix(i.Path.Value, s) }) {
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
