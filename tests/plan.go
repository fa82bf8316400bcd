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

// A selection is what one go test runs: packages, and of their tests those that fit
// one pattern and do not fit another; "" for no pattern.
type selection struct {
	packages  []string
	run, skip string
}

// plan says which tests run with the race detector, and which without. With it run
// those that reach a goroutine which they or their package start. Those of them that
// can be short are so there, and run a second time without it, at full length. All
// others run once, without it, and so do examples and the seeds of fuzz targets, which
// do one thing at a time; where they alone would be left of a package, they run with the
// rest of it, for to link a second program takes longer than they do.
//
// In the packages that have such tests a name is on the same side everywhere, so that
// one go test runs them.
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

// allRaced tells whether all tests of a package run with the race detector, and there only.
func allRaced(found []testFunc) bool {
	tests := slices.DeleteFunc(slices.Clone(found), func(t testFunc) bool { return !strings.HasPrefix(t.name, "Test") })
	return len(tests) > 0 && !slices.ContainsFunc(tests, func(t testFunc) bool { return !t.raced || t.short })
}

// longest are the packages whose tests take longest, in that order. They begin first, so
// that none is left over when the others are through.
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

// pattern fits the names that are true, and no other; "" when there are none.
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
