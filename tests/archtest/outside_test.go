package archtest_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A clone of the repository has nothing beside it.
func TestNothingOutsideTheRepository(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() && slices.Contains([]string{".git", "build", "dist"}, rel) {
			return fs.SkipDir
		}
		if rel == ".git" || !d.Type().IsRegular() || strings.Contains(rel, "/testdata/") && path.Ext(rel) != ".md" {
			return nil // data names what it likes
		}
		seen++
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, name := range outside(rel, text) {
			t.Errorf("%s names %s, which a clone does not have", rel, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 500 {
		t.Errorf("%d files seen", seen)
	}
}

var (
	relativePath = regexp.MustCompile("(?m)(?:^|[\\s\"'`=(\\[])((?:\\.\\./)+[^\\s\"'`)\\],;]*)")
	machinePath  = regexp.MustCompile("(?m)(?:^|[\\s\"'`=(])(/(?:root|work|workspace)/[^\\s\"'`)]+)")
)

// hostile are the ends of paths in tests that nothing may follow, and of the
// one that goreleaser follows from dist.
var hostile = []string{"etc", "etc/passwd", ".envrc", ""}

// outside returns the paths in the text of a file that lead out of the
// repository, and those of a single machine.
func outside(file string, text []byte) []string {
	if path.Base(file) == "outside_test.go" {
		return nil // the examples
	}
	dir := path.Dir(file)
	var found []string
	for _, m := range find(relativePath, "../", text) {
		name := string(m[1])
		if leaves(dir, name) && !slices.Contains(hostile, name[strings.LastIndex(name, "../")+len("../"):]) {
			found = append(found, name)
		}
	}
	for _, place := range []string{"/root/", "/work/", "/workspace/"} {
		for _, m := range find(machinePath, place, text) {
			found = append(found, string(m[1]))
		}
	}
	if path.Ext(file) == ".go" && bytes.Contains(text, []byte(`".."`)) {
		found = append(found, joinedOutside(dir, text)...)
	}
	return found
}

// find is FindAllSubmatch on the lines that have some text, which is faster.
func find(pattern *regexp.Regexp, with string, text []byte) (found [][][]byte) {
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte(with)) {
			found = append(found, pattern.FindAllSubmatch(line, -1)...)
		}
	}
	return found
}

func leaves(dir, name string) bool {
	return !filepath.IsLocal(path.Join(dir, name))
}

// joinedOutside returns the calls of Join in Go code whose elements lead out of
// the repository. An element that is not a literal counts as the directory of
// the file.
func joinedOutside(dir string, text []byte) []string {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		join, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || join.Sel.Name != "Join" {
			return true
		}
		at := "."
		for _, arg := range call.Args {
			name := "."
			if literal, ok := arg.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				name, _ = strconv.Unquote(literal.Value) // the parser checked it
			} else {
				at = "."
			}
			if at = path.Join(at, name); leaves(dir, at) {
				found = append(found, fmt.Sprintf("Join(…%s…)", at))
				break
			}
		}
		return true
	})
	return found
}

func TestOutside(t *testing.T) {
	for _, tt := range []struct {
		file, text string
		found      bool
	}{
		{"docs/how-to/a.md", "[a page](../../README.md)", false},
		{"docs/how-to/a.md", "[a page](../../../README.md)", true},
		{"tests/a/testdata/README.md", "Made with `../../../../tools/make`.", true},
		{"README.md", "cd ../shared", true},
		{".ci/run", "cd ..\n", false},
		{".ci/run", "ls ../../fixtures\n", true},
		{"Makefile", "DIR = ../x\n", true},
		{"Makefile", "cp /work/a b\n", true},
		{"docs/a.md", "pith move ~/work/old /home/you/work/x", false},
		{"a/b.mjs", `import x from "../../x.mjs"`, true},
		{"a/b.mjs", `import x from "../x.mjs"`, false},
		{"a/b.go", "package a\n\nconst x = \"../docs\"\n", false},
		{"a/b.go", "package a\n\nconst x = \"../../docs\"\n", true},
		{"a/b.go", "package a\n\nconst x = \"../../../etc/passwd\"\n", false},
		{"a/b.go", "package a\n\nvar x = filepath.Join(\"..\", \"docs\")\n", false},
		{"a/b.go", "package a\n\nvar x = filepath.Join(\"..\", \"..\", \"docs\")\n", true},
		{"a/b.go", "package a\n\nvar x = filepath.Join(\"c\", \"..\", \"..\", \"docs\")\n", false},
		{"a/b.go", "package a\n\nvar x = filepath.Join(fixtures(), \"..\", \"..\", \"tools\")\n", true},
		{"a/b.go", "package a\n\nvar x = \"/root/fixtures\"\n", true},
	} {
		if found := outside(tt.file, []byte(tt.text)); (len(found) > 0) != tt.found {
			t.Errorf("outside(%s, %q) = %q, want some: %t", tt.file, tt.text, found, tt.found)
		}
	}
}
