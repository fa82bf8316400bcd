package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run(t.Context(), &out, dir); err != nil {
		t.Fatal(err)
	}
	want := `1: To the sea?
3: To the lake?
3: To the hills?
3: To the city?
user: To the sea?; guide: 1: To the sea?; user: To the hills?; guide: 3: To the hills?; 
user: To the sea?; guide: 1: To the sea?; user: To the city?; guide: 3: To the city?; 
`
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "trip-*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files = %v, %v; want one", files, err)
	}
	cmd := exec.Command("go", "run", "./cmd/pith", "tree", files[0])
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as the test command compiles programs
	tree, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("pith tree: %v\n%s", err, tree)
	}
	for _, text := range []string{"To the sea?", "To the lake?", "To the hills?"} {
		if !strings.Contains(string(tree), text) {
			t.Errorf("pith tree lacks %q:\n%s", text, tree)
		}
	}
}
