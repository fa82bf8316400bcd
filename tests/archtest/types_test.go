package archtest_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// No exported function, method, field, variable or type of a public package has a type
// from an internal package: a caller could neither name nor make a value of it.
func TestExportedTypes(t *testing.T) {
	from := importer.ForCompiler(token.NewFileSet(), "gc", compiled(t, "./..."))
	var pkgs []string
	for file := range sources(t) {
		if pkg := filepath.ToSlash(filepath.Dir(file)); isPublic(pkg) && !below(pkg, "integrations") && !slices.Contains(pkgs, pkg) { // a module of its own
			pkgs = append(pkgs, pkg)
		}
	}
	slices.Sort(pkgs)
	seen := 0
	for _, name := range pkgs {
		pkg, err := from.Import(strings.TrimSuffix(module+"/"+name, "/."))
		if err != nil {
			t.Fatal(err)
		}
		c := exposure{seen: map[types.Type]bool{}, report: func(path string, named *types.TypeName) {
			t.Errorf("%s: %s has the type %s.%s", name, path, named.Pkg().Path(), named.Name())
		}}
		for _, n := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(n); o.Exported() {
				seen++
				c.pkg = pkg
				c.look(o.Name(), o.Type())
				if alias, ok := o.Type().(*types.Alias); ok {
					c.look(o.Name(), alias.Rhs())
				}
			}
		}
	}
	if seen == 0 {
		t.Fatal("no exported names seen: this test tests nothing")
	}
}

// An exposure walks over the types that an exported name shows to importers.
type exposure struct {
	pkg    *types.Package
	seen   map[types.Type]bool
	report func(path string, named *types.TypeName)
}

func (c *exposure) look(path string, typ types.Type) {
	if named, ok := typ.(interface{ Obj() *types.TypeName }); ok {
		if p := named.Obj().Pkg(); p != nil && p != c.pkg {
			if strings.HasPrefix(p.Path(), module+"/") && !isPublic(strings.TrimPrefix(p.Path(), module+"/")) {
				c.report(path, named.Obj())
			}
			if n, ok := typ.(*types.Named); ok {
				for arg := range n.TypeArgs().Types() {
					c.look(path, arg)
				}
			}
			return // another package is looked at by itself
		}
	}
	if c.seen[typ] {
		return
	}
	c.seen[typ] = true
	switch typ := typ.(type) {
	case *types.Named:
		methods := types.NewMethodSet(types.NewPointer(typ)) // with those of embedded types
		for m := range methods.Methods() {
			if m.Obj().Exported() {
				c.look(path+"."+m.Obj().Name(), m.Type())
			}
		}
		for arg := range typ.TypeArgs().Types() {
			c.look(path, arg)
		}
		c.look(path, typ.Underlying())
	case *types.Struct:
		for f := range typ.Fields() {
			if f.Exported() {
				c.look(path+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range typ.Methods() {
			c.look(path+"."+m.Name(), m.Type())
		}
	case *types.Signature:
		for v := range typ.Params().Variables() {
			c.look(path, v.Type())
		}
		for v := range typ.Results().Variables() {
			c.look(path, v.Type())
		}
		for p := range typ.TypeParams().TypeParams() {
			c.look(path, p.Constraint())
		}
	case *types.Alias:
		c.look(path, typ.Rhs())
	case *types.Map:
		c.look(path, typ.Key())
		c.look(path, typ.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		c.look(path, typ.Elem())
	}
}

// compiled opens what the compiler keeps of a package and of those below it.
func compiled(t *testing.T, pkg string) importer.Lookup {
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", pkg)
	list.Dir, list.Stderr = top, os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		at[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(at[path]) }
}
