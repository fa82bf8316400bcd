package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	listedPitfall = regexp.MustCompile(`(?m)^(\d+)\. `)
	namedPitfalls = regexp.MustCompile(`pitfalls? ((?:\d+(?:, | and | to )?)+)`)
	number        = regexp.MustCompile(`\d+`)
)

// Every pitfall that a comment names is in docs/internals/pitfalls.md, which numbers them
// without a gap.
func TestPitfallsAreListed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "docs", "internals", "pitfalls.md"))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, m := range listedPitfall.FindAllSubmatch(text, -1) {
		if n, _ := strconv.Atoi(string(m[1])); n != last+1 {
			t.Errorf("docs/internals/pitfalls.md: %d follows %d", n, last)
		}
		last++
	}
	named := map[int]bool{}
	for _, file := range goFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range namedPitfalls.FindAllSubmatch(unwrapped(text), -1) {
			for _, digits := range number.FindAll(m[1], -1) {
				n, _ := strconv.Atoi(string(digits))
				if n < 1 || n > last {
					t.Errorf("%s names pitfall %d, which docs/internals/pitfalls.md lacks", file, n)
				}
				named[n] = true
			}
		}
	}
	if len(named) < 100 {
		t.Errorf("%d pitfalls are named in the code: this test sees too little", len(named))
	}
}

// unwrapped joins the lines of comments.
func unwrapped(text []byte) []byte {
	return regexp.MustCompile(`\n\s*// `).ReplaceAll(text, []byte(" "))
}

// Comments that users of a package read name no pitfalls: the numbers are for
// those who change the code.
func TestExportedCommentsNameNoPitfalls(t *testing.T) {
	for _, file := range goFiles(t) {
		rel := filepath.ToSlash(strings.TrimPrefix(file, top))
		if strings.HasSuffix(rel, "_test.go") || strings.Contains(rel, "/internal/") || strings.HasPrefix(rel, "/tests/") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		check := func(doc *ast.CommentGroup) {
			if doc != nil && strings.Contains(doc.Text(), "pitfall") {
				t.Errorf("%s: a comment that users read names a pitfall", set.Position(doc.Pos()))
			}
		}
		check(f.Doc)
		for _, d := range f.Decls {
			checkExported(d, check)
		}
	}
}

// checkExported hands over the comments of a declaration that go doc shows.
func checkExported(d ast.Decl, check func(*ast.CommentGroup)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv)) {
			check(d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if !spec.Name.IsExported() {
					continue
				}
				check(d.Doc)
				check(spec.Doc)
				ast.Inspect(spec.Type, func(n ast.Node) bool {
					if field, ok := n.(*ast.Field); ok && (len(field.Names) == 0 || field.Names[0].IsExported()) {
						check(field.Doc)
						check(field.Comment)
					}
					return true
				})
			case *ast.ValueSpec:
				if spec.Names[0].IsExported() {
					check(d.Doc)
					check(spec.Doc)
					check(spec.Comment)
				}
			}
		}
	}
}

func exportedReceiver(recv *ast.FieldList) bool {
	exported := false
	ast.Inspect(recv, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.IsExported() {
			exported = true
		}
		return true
	})
	return exported
}
