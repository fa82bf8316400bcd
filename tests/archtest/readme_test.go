package archtest_test

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goBlock matches a piece of Go. Its first group is not empty if the piece names the
// example that it is from; TestDocumentsQuoteTheExamples compares those.
var goBlock = regexp.MustCompile("(?s)(<!-- examples/[^\n]*\n)?```go\n(.*?)```")

// around is what the Go lines of the README take for granted.
const around = `package readme

import (
	"context"
	"log"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

var (
	ctx           context.Context
	path, earlier string
)

func _() {
`

// The Go lines of the README compile, but for variables that nothing uses.
func TestReadmeCompiles(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	source := around
	for _, block := range goBlock.FindAllStringSubmatch(string(text), -1) {
		if block[1] == "" {
			source += strings.ReplaceAll(block[2], "{ … }", "{}")
		}
	}
	if source == around {
		t.Fatal("no Go lines in the README")
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "README.go", source+"}\n", parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	checked := types.Config{Importer: importer.ForCompiler(files, "gc", compiled(t, "./agent")), Error: func(err error) {
		if e := (types.Error{}); !errors.As(err, &e) || !e.Soft {
			t.Error(err)
		}
	}}
	_, _ = checked.Check("readme", files, []*ast.File{file}, nil) // errors were told one by one
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
