package archtest_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/api.txt anew")

// isPublic reports whether programs of others can import a package.
func isPublic(pkg string) bool {
	return !below(pkg, "cmd", "integrations", "tests", "examples") && !strings.Contains(pkg+"/", "internal/")
}

// The reference of the packages names every public package once, with its stability.
func TestPackagesReference(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "docs", "reference", "packages.md"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	row := regexp.MustCompile("(?m)^\\| (`[^|]*) \\|.*\\| (core|open) \\|$")
	name := regexp.MustCompile("`([^`]+)`")
	for _, r := range row.FindAllStringSubmatch(string(text), -1) {
		for _, n := range name.FindAllStringSubmatch(r[1], -1) {
			got = append(got, n[1])
		}
	}
	public := map[string]bool{}
	for _, file := range goFiles(t) {
		rel, err := filepath.Rel(top, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(rel)
		if strings.HasSuffix(file, "_test.go") || !isPublic(pkg) {
			continue
		}
		if pkg == "." {
			pkg = "pith"
		}
		public[pkg] = true
	}
	slices.Sort(got)
	if want := slices.Sorted(maps.Keys(public)); !slices.Equal(got, want) {
		t.Errorf("docs/reference/packages.md has\n%q\nwant\n%q", got, want)
	}
}

// The exported names of the public packages are those of a list, so that a change of
// them is seen: go test ./tests/archtest -run TestExportedNames -update.
func TestExportedNames(t *testing.T) {
	names := map[string]bool{}
	for _, file := range goFiles(t) {
		rel, err := filepath.Rel(top, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(rel)
		if strings.HasSuffix(file, "_test.go") || !isPublic(pkg) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name == "main" {
			continue
		}
		for _, d := range f.Decls {
			for _, name := range exported(d) {
				names[pkg+" "+name] = true
			}
		}
	}
	got := strings.Join(slices.Sorted(maps.Keys(names)), "\n") + "\n"
	list := filepath.Join("testdata", "api.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(list, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		listed[strings.TrimSpace(line)] = true
	}
	for name := range names {
		if !listed[name] {
			t.Errorf("%s is exported and not in %s; run with -update if that is meant", name, list)
		}
	}
	for name := range listed {
		if !names[name] {
			t.Errorf("%s is in %s and no longer exported; run with -update if that is meant", name, list)
		}
	}
}

// exported are the names that a declaration gives to others.
func exported(d ast.Decl) (out []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			out = append(out, "func "+d.Name.Name)
		}
		if d.Recv != nil && d.Name.IsExported() && ast.IsExported(typeName(d.Recv.List[0].Type)) {
			out = append(out, "method "+typeName(d.Recv.List[0].Type)+"."+d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					out = append(out, "type "+spec.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() {
						out = append(out, d.Tok.String()+" "+name.Name)
					}
				}
			}
		}
	}
	return out
}

// typeName is the name of a receiver's type.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// Every public package says how stable it is.
func TestPackagesSayTheirStability(t *testing.T) {
	said := map[string]bool{}
	for _, file := range goFiles(t) {
		rel, err := filepath.Rel(top, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(rel)
		if strings.HasSuffix(file, "_test.go") || !isPublic(pkg) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		said[pkg] = said[pkg] || f.Doc != nil && strings.Contains(f.Doc.Text(), "Stability") || f.Name.Name == "main"
	}
	for pkg, ok := range said {
		if !ok {
			t.Errorf("the doc of package %s does not say how stable it is", pkg)
		}
	}
}
