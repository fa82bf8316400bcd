package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// Every package is in one of the two runs; the race detector has those that start
// goroutines or let others start them, in code or in tests.
func TestPlan(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"quiet.go":         "package a\n\nfunc A() {}\n",
		"goes.go":          "package a\n\nfunc B() { go A() }\n",
		"group_test.go":    "package a\n\nimport (\n\t\"sync\"\n\t\"testing\"\n)\n\nfunc TestGroup(t *testing.T) {\n\tvar wg sync.WaitGroup\n\twg.Go(A)\n}\n",
		"quiet_test.go":    "package a\n\nimport \"testing\"\n\nfunc TestQuiet(t *testing.T) {}\n",
		"parallel_test.go": "package a\n\nimport \"testing\"\n\nfunc TestParallel(t *testing.T) { t.Parallel() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const processes = "github.com/pith-sessions/pith/tests/conformance"
	raced, plain, err := plan([]source{
		{ImportPath: "quiet", Dir: dir, GoFiles: []string{"quiet.go"}, TestGoFiles: []string{"quiet_test.go"}},
		{ImportPath: "goes", Dir: dir, GoFiles: []string{"quiet.go", "goes.go"}},
		{ImportPath: "tested", Dir: dir, GoFiles: []string{"quiet.go"}, XTestGoFiles: []string{"parallel_test.go"}},
		{ImportPath: processes, Dir: dir, TestGoFiles: []string{"quiet_test.go", "group_test.go", "parallel_test.go"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const some = "^(TestGroup|TestParallel)$"
	for _, tt := range []struct {
		what      string
		got, want []selection
	}{
		{"with the race detector", raced, []selection{{packages: []string{processes}, run: some}, {packages: []string{"goes", "tested"}}}},
		{"without it", plain, []selection{{packages: []string{processes}, skip: some}, {packages: []string{"quiet"}}}},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("plan runs %+v %s; want %+v", tt.got, tt.what, tt.want)
		}
	}
}
