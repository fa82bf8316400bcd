package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// A listed is a package as go list describes it, tests included.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	CgoFiles   []string
	ImportMap  map[string]string
	DepOnly    bool
	Module     *struct{ GoVersion string }
	Error      *struct{ Err string }
}

// typecheck parses this project, its tests and their imports for a platform,
// and checks the types of all our code. Of imports it reads only the
// declarations, so that it takes seconds where compiling the same packages
// takes minutes. It does not check assembly and linking.
func typecheck(ctx context.Context, from *sources, goos, arch string) error {
	packages, err := list(ctx, goos, arch)
	if err != nil {
		return err
	}
	c := checker{sources: from, arch: arch, done: map[string]*types.Package{types.Unsafe.Path(): types.Unsafe}}
	for _, p := range packages {
		if p.Error != nil {
			return fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		if err := c.check(p); err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
	}
	return nil
}

// list returns all packages of the project and their imports, each after those
// that it imports.
func list(ctx context.Context, goos, arch string) ([]*listed, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-test",
		"-json=ImportPath,Dir,GoFiles,CgoFiles,ImportMap,DepOnly,Module,Error", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var packages []*listed
	for d := json.NewDecoder(out); ; {
		p := &listed{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, errors.Join(fmt.Errorf("go list: %w", err), cmd.Wait())
		}
		packages = append(packages, p)
	}
	return packages, cmd.Wait()
}

// A sources holds every parsed file, for all platforms. It is safe for
// concurrent use.
type sources struct {
	fset   *token.FileSet
	parsed sync.Map // of func() (*ast.File, error), by path
}

func newSources() *sources { return &sources{fset: token.NewFileSet()} }

// file parses a file. It drops the function bodies of files that are not ours.
func (s *sources) file(path string, ours bool) (*ast.File, error) {
	parse, _ := s.parsed.LoadOrStore(path, sync.OnceValues(func() (*ast.File, error) {
		f, err := parser.ParseFile(s.fset, path, nil, parser.SkipObjectResolution)
		if err != nil || ours {
			return f, err
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				d.Body = nil
			}
		}
		return f, nil
	}))
	return parse.(func() (*ast.File, error))()
}

type checker struct {
	*sources
	arch string
	done map[string]*types.Package // by the path of go list
}

func (c *checker) check(p *listed) error {
	// go test generates the main packages of tests, which no package imports.
	if c.done[p.ImportPath] != nil || strings.HasSuffix(p.ImportPath, ".test") {
		return nil
	}
	files, err := c.parse(p)
	if err != nil {
		return err
	}
	var faults []error
	conf := types.Config{
		Importer:         importing{c, p},
		Sizes:            types.SizesFor("gc", c.arch),
		IgnoreFuncBodies: p.DepOnly,
		FakeImportC:      true,
		Error:            func(err error) { faults = append(faults, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ") // "a [a.test]" is a, as its test sees it
	c.done[p.ImportPath], _ = conf.Check(path, c.fset, files, nil)
	if p.DepOnly {
		return nil // dropped bodies leave imports unused
	}
	return errors.Join(faults...)
}

func (c *checker) parse(p *listed) ([]*ast.File, error) {
	var files []*ast.File
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		f, err := c.file(name, !p.DepOnly)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// An importing finds the imports of one package among those that are done.
type importing struct {
	*checker
	by *listed
}

func (i importing) Import(path string) (*types.Package, error) {
	if mapped, ok := i.by.ImportMap[path]; ok {
		path = mapped
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not there", path)
}
