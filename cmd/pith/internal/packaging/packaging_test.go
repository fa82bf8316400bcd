package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
)

// There is a manual page for every command, a completion for each of four shells, and
// the license of everything that is linked; twice the same bytes.
func TestPages(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", "..", ".."))
	first, second := t.TempDir(), t.TempDir()
	if err := run([]string{"pages", first, "1700000000"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(manual(second, time.Unix(1700000000, 0).UTC()), completions(second)); err != nil {
		t.Fatal(err)
	}
	want := []string{"completions/pith.bash", "completions/_pith", "completions/pith.fish", "completions/pith.ps1", "THIRD_PARTY_LICENSES"}
	var name func(*cobra.Command)
	name = func(c *cobra.Command) {
		if c.IsAvailableCommand() || c.Parent() == nil {
			want = append(want, "man/"+strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		}
		for _, sub := range c.Commands() {
			name(sub)
		}
	}
	name(cli.Root())
	if len(want) < 40 {
		t.Fatalf("%d files are expected; where are the commands?", len(want))
	}
	for _, file := range want {
		a, err := os.ReadFile(filepath.Join(first, file))
		if err != nil {
			t.Error(err)
			continue
		}
		if b, err := os.ReadFile(filepath.Join(second, file)); err == nil && string(a) != string(b) {
			t.Errorf("%s differs when it is made again", file)
		}
	}
	bash, _ := os.ReadFile(filepath.Join(first, "completions", "pith.bash"))
	if !strings.Contains(string(bash), "declare -F _get_comp_words_by_ref") {
		t.Error("the completion for bash needs the package bash-completion")
	}
	text, _ := os.ReadFile(filepath.Join(first, "THIRD_PARTY_LICENSES"))
	for _, part := range []string{"modernc.org/sqlite", "github.com/spf13/cobra", "The Go Authors", "SIL OPEN FONT LICENSE"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the licenses do not name %s", part)
		}
	}
}

// The package that people install has one for each platform as an optional dependency
// of the same version, and nothing that runs at installation.
func TestNPM(t *testing.T) {
	top, _ := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	t.Chdir(t.TempDir())
	licence, err := os.ReadFile(filepath.Join(top, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	const artifacts = `[{"path":"linux","goos":"linux","goarch":"amd64","type":"Binary"},{"path":"win","goos":"windows","goarch":"arm64","type":"Binary"},{"path":"a.tar.gz","type":"Archive"}]`
	for name, text := range map[string]string{"LICENSE": string(licence), "artifacts.json": artifacts, "metadata.json": `{"version":"1.2.3"}`, "linux": "l", "win": "w"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := run([]string{"npm", ".", "out"}); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{
		"pith":        `"optionalDependencies":{"@pith-sessions/linux-x64":"1.2.3","@pith-sessions/win32-arm64":"1.2.3"}`,
		"linux-x64":   `"os":["linux"],"cpu":["x64"],"files":["bin"]`,
		"win32-arm64": `"os":["win32"],"cpu":["arm64"],"files":["bin"]`,
	} {
		text, err := os.ReadFile(filepath.Join("out", folder, "package.json"))
		if err != nil {
			t.Fatal(err)
		}
		var m manifest
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		flat, _ := json.Marshal(m)
		if !strings.Contains(string(flat), want) || strings.Contains(string(text), `"scripts"`) {
			t.Errorf("%s has %s; want %s and no scripts", folder, flat, want)
		}
	}
	if b, _ := os.ReadFile("out/win32-arm64/bin/pith.exe"); string(b) != "w" {
		t.Errorf("the package for Windows has the program %q", b)
	}
}

// The variables that a release sets exist in the program: the linker does not
// report unknown names.
func TestReleaseNamesVariables(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", "..", ".."))
	text, err := os.ReadFile(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`-X github\.com/pith-sessions/pith/(\S+)\.(\w+)=`).FindAllStringSubmatch(string(text), -1)
	if len(names) < 3 {
		t.Fatalf("a release sets %d variables; want version, commit and date", len(names))
	}
	for _, n := range names {
		packages, err := filepath.Glob(n[1] + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(packages, func(file string) bool { return declares(t, file, n[2]) }) {
			t.Errorf("a release sets %s of %s, which has no such variable", n[2], n[1])
		}
	}
}

func declares(t *testing.T, file, name string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			found = found || slices.ContainsFunc(v.Names, func(i *ast.Ident) bool { return i.Name == name })
		}
		return !found
	})
	return found
}
