package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
)

// A source is a package with the files of one platform.
type source struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// A selection is one run of go test: packages, and of their tests those that
// match run and do not match skip; "" for no pattern.
type selection struct {
	packages  []string
	run, skip string
}

// plan selects which tests run with the race detector, and which without. Tests
// that reach a goroutine started by them or their package run with it. Those of
// them that support -short run short there, and again without it at full
// length. All others run once, without it, and so do examples and the seeds of
// fuzz targets, which are sequential. If only those would be left of a package,
// they run with the rest of it, since linking a second program takes longer
// than they do.
//
// In the packages that have such tests, a name is on the same side everywhere,
// so that one go test runs them.
func plan(packages []source) (raced selection, plain []selection, err error) {
	reached, err := readStarters(packages)
	if err != nil {
		return raced, nil, err
	}
	found := map[string][]testFunc{} // by package
	race, once := map[string]bool{}, map[string]bool{}
	for _, p := range packages {
		if found[p.ImportPath], err = p.tests(reached); err != nil {
			return raced, nil, err
		}
		alone := allRaced(found[p.ImportPath])
		for _, t := range found[p.ImportPath] {
			race[t.name] = race[t.name] || t.raced || alone
		}
	}
	maps.Copy(once, race)
	for _, t := range slices.Concat(slices.Collect(maps.Values(found))...) {
		once[t.name] = once[t.name] && !t.short
	}
	var rest, quiet selection
	for _, p := range longestFirst(packages) {
		if !slices.ContainsFunc(found[p], func(t testFunc) bool { return t.raced }) {
			quiet.packages = append(quiet.packages, p)
			continue
		}
		raced.packages = append(raced.packages, p)
		if slices.ContainsFunc(found[p], func(t testFunc) bool { return !once[t.name] }) {
			rest.packages = append(rest.packages, p)
		}
	}
	raced.run, rest.skip = pattern(race), pattern(once)
	return raced, []selection{rest, quiet}, nil
}

// allRaced reports whether all tests of a package run with the race detector,
// and only there.
func allRaced(found []testFunc) bool {
	tests := slices.DeleteFunc(slices.Clone(found), func(t testFunc) bool { return !strings.HasPrefix(t.name, "Test") })
	return len(tests) > 0 && !slices.ContainsFunc(tests, func(t testFunc) bool { return !t.raced || t.short })
}

// longest are the packages whose tests take longest, in that order. They start
// first, so that none is left at the end.
var longest = []string{
	"github.com/pith-sessions/pith/tests/conformance",
	"github.com/pith-sessions/pith/catalog/search",
	"github.com/pith-sessions/pith/export",
	"github.com/pith-sessions/pith/cmd/pith/internal/webui",
	"github.com/pith-sessions/pith/doctor",
	"github.com/pith-sessions/pith/cmd/pith/internal/cli",
	"github.com/pith-sessions/pith/store/pgstore",
	"github.com/pith-sessions/pith/catalog",
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver",
	"github.com/pith-sessions/pith/agent",
}

func longestFirst(packages []source) []string {
	paths := make([]string, len(packages))
	for i, p := range packages {
		paths[i] = p.ImportPath
	}
	rank := func(path string) int {
		if i := slices.Index(longest, path); i >= 0 {
			return i
		}
		return len(longest)
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return paths
}

// pattern returns a pattern that matches exactly the names that are true; "" if
// there are none.
func pattern(names map[string]bool) string {
	var chosen []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] {
			chosen = append(chosen, name)
		}
	}
	if len(chosen) == 0 {
		return ""
	}
	return "^(" + strings.Join(chosen, "|") + ")$"
}

// modulePackages returns the packages of this module.
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
