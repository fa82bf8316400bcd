package main

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every test runs at least once. The race detector has those that reach a goroutine
// through their package's code or their helpers, and what else their package has when it
// is not a test; one that can be short runs twice.
func TestPlan(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"quiet.go":         "package a\n\nfunc A() {}\n",
		"goes.go":          "package a\n\ntype T struct{}\n\nfunc (T) Read() { go A() }\n\nfunc B() any { return T{} }\n",
		"group_test.go":    "package a\n\nimport (\n\t\"sync\"\n\t\"testing\"\n)\n\nfunc TestGroup(t *testing.T) {\n\tvar wg sync.WaitGroup\n\twg.Go(A)\n}\n",
		"quiet_test.go":    "package a\n\nimport \"testing\"\n\nfunc TestQuiet(t *testing.T) {}\n",
		"parallel_test.go": "package a\n\nimport \"testing\"\n\nfunc TestParallel(t *testing.T) { together(t) }\n\nfunc together(t *testing.T) { t.Parallel() }\n",
		"helped_test.go":   "package a\n\nimport \"testing\"\n\nfunc TestHelped(t *testing.T) { together(t) }\n",
		"through_test.go":  "package a\n\nimport \"testing\"\n\nfunc TestThrough(t *testing.T) { B() }\n\nfunc TestBeside(t *testing.T) { A() }\n\nfunc FuzzB(f *testing.F) { B() }\n",
		"all_test.go":      "package a\n\nimport \"testing\"\n\nfunc TestAll(t *testing.T) { B() }\n\nfunc ExampleA() { A() }\n",
		"waits_test.go":    "package a\n\nimport \"testing\"\n\nfunc TestWaits(t *testing.T) {\n\tt.Parallel()\n\tB()\n}\n",
		"short_test.go":    "package a\n\nimport \"testing\"\n\nfunc TestShort(t *testing.T) {\n\tif !testing.Short() {\n\t\tgo B()\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const unwatched = "github.com/pith-sessions/pith/tests/conformance"
	const programs = "github.com/pith-sessions/pith/cmd/pith/internal/cli"
	raced, plain, err := plan([]source{
		{ImportPath: unwatched, Dir: dir, TestGoFiles: []string{"group_test.go"}},
		{ImportPath: "quiet", Dir: dir, GoFiles: []string{"quiet.go"}, TestGoFiles: []string{"quiet_test.go"}},
		{ImportPath: "goes", Dir: dir, GoFiles: []string{"quiet.go", "goes.go"}, TestGoFiles: []string{"through_test.go"}},
		{ImportPath: "tested", Dir: dir, GoFiles: []string{"quiet.go"}, XTestGoFiles: []string{"parallel_test.go", "helped_test.go"}},
		{ImportPath: "all", Dir: dir, GoFiles: []string{"quiet.go", "goes.go"}, TestGoFiles: []string{"all_test.go"}},
		{ImportPath: "short", Dir: dir, TestGoFiles: []string{"short_test.go"}},
		{ImportPath: programs, Dir: dir, GoFiles: []string{"goes.go"}, TestGoFiles: []string{"waits_test.go", "group_test.go"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := (selection{
		packages: []string{programs, "goes", "tested", "all", "short"},
		run:      "^(ExampleA|TestAll|TestGroup|TestHelped|TestParallel|TestShort|TestThrough)$",
	}); !reflect.DeepEqual(raced, want) {
		t.Errorf("plan runs %+v with the race detector; want %+v", raced, want)
	}
	if want := []selection{
		{packages: []string{programs, "goes", "short"}, skip: "^(ExampleA|TestAll|TestGroup|TestHelped|TestParallel|TestThrough)$"},
		{packages: []string{unwatched, "quiet"}},
	}; !reflect.DeepEqual(plain, want) {
		t.Errorf("plan runs %+v without it; want %+v", plain, want)
	}
}

// The names listed in the plan exist.
func TestPlanNamesWhatExists(t *testing.T) {
	t.Chdir("..")
	packages, err := modulePackages(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	find := func(path string) *source {
		i := slices.IndexFunc(packages, func(p source) bool { return p.ImportPath == path })
		if i < 0 {
			t.Errorf("there is no package %s", path)
			return nil
		}
		return &packages[i]
	}
	reached, err := readStarters(packages)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range starters {
		if find(path); !slices.ContainsFunc(slices.Collect(maps.Keys(reached)), func(name string) bool { return strings.HasPrefix(name, path+".") }) {
			t.Errorf("%s starts no goroutines", path)
		}
	}
	for _, path := range longest {
		find(path)
	}
	for raced, named := range map[bool]map[string][]string{true: throughPrograms, false: unwatchedTests} {
		for path, names := range named {
			p := find(path)
			if p == nil {
				continue
			}
			tests, err := p.tests(reached)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if !slices.ContainsFunc(tests, func(f testFunc) bool { return f.name == name && f.raced == raced }) {
					t.Errorf("%s has no test %s", path, name)
				}
			}
		}
	}
}

// No test of this project falls between the selections.
func TestPlanLeavesNothingOut(t *testing.T) {
	t.Chdir("..")
	packages, err := modulePackages(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	raced, plain, err := plan(packages)
	if err != nil {
		t.Fatal(err)
	}
	runs := func(s selection) func(path, name string) bool { // as go test reads patterns
		run, skip := regexp.MustCompile(s.run), regexp.MustCompile(cmp.Or(s.skip, "^$"))
		return func(path, name string) bool {
			return slices.Contains(s.packages, path) && run.MatchString(name) && !skip.MatchString(name)
		}
	}
	withRace, rest, quiet := runs(raced), runs(plain[0]), runs(plain[1])
	seen := 0
	for _, p := range packages {
		tests, err := p.tests(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range tests {
			seen++
			if !withRace(p.ImportPath, f.name) && !rest(p.ImportPath, f.name) && !quiet(p.ImportPath, f.name) {
				t.Errorf("nothing runs %s of %s", f.name, p.ImportPath)
			}
		}
	}
	if seen < 1000 {
		t.Errorf("%d tests seen", seen)
	}
}
