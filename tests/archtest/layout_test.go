package archtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	tableRow  = regexp.MustCompile(`(?m)^\| (.*?) \|`)
	inTicks   = regexp.MustCompile("`([^`]+)`")
	goRun     = regexp.MustCompile(`go run (\./[a-z/]+)`)
	documents = []string{"README.md", "CONTRIBUTING.md", "Makefile", ".ci/run", "docs/explanation/performance.md"}
)

// The table of packages in CONTRIBUTING names existing directories, and every
// package or a directory above it.
func TestContributingNamesThePackages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, row := range tableRow.FindAllStringSubmatch(string(text), -1) {
		for _, m := range inTicks.FindAllStringSubmatch(row[1], -1) {
			named = append(named, m[1])
			if info, err := os.Stat(filepath.Join(top, filepath.FromSlash(m[1]))); err != nil || !info.IsDir() {
				t.Errorf("CONTRIBUTING names %s, which is no folder", m[1])
			}
		}
	}
	for file := range sources(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		if pkg != root && !below(pkg, named...) {
			t.Errorf("CONTRIBUTING lacks the package %s", pkg)
		}
	}
}

// Commands in documents exist.
func TestDocumentsRunWhatExists(t *testing.T) {
	seen := 0
	for _, name := range documents {
		text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range goRun.FindAllStringSubmatch(string(text), -1) {
			seen++
			if mains, _ := filepath.Glob(filepath.Join(top, filepath.FromSlash(strings.TrimPrefix(m[1], "./")), "main.go")); len(mains) == 0 {
				t.Errorf("%s says go run %s, which has no main.go", name, m[1])
			}
		}
	}
	if seen < 5 {
		t.Errorf("%d commands found in the documents", seen)
	}
}
