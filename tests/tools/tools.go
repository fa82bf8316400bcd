// Package tools finds the programs of this machine that tests run. A test that
// lacks one is skipped at once and says how to install it.
//
// No test fails because it cannot run. The test command lists what was left
// out, and fails for it with CI=true.
package tools

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
)

// A Tool is a program, or a server of which Name is the program.
type Tool struct {
	Name   string
	Use    string   // in tests
	Debian []string // packages that have it
	places []string // patterns of directories that need not be on PATH
}

// All are the tools, except for the C compiler that the race detector needs.
var All = []Tool{
	{Name: "npm", Use: "the real pi and other agents", Debian: []string{"nodejs", "npm"}},
	{Name: "tmux", Use: "the app in a real terminal", Debian: []string{"tmux"}},
	{Name: "bash", Use: "completion in a real shell", Debian: []string{"bash"}},
	{Name: "zsh", Use: "completion in a real shell", Debian: []string{"zsh"}},
	{Name: "fish", Use: "completion in a real shell", Debian: []string{"fish"}},
	{Name: "chromium", Use: "pages in a real browser", Debian: []string{"chromium"}},
	{Name: "postgres", Use: "sessions in PostgreSQL", Debian: []string{"postgresql"},
		places: []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin", "/usr/local/pgsql/bin"}},
	{Name: "strace", Use: "kills between the steps of a change", Debian: []string{"strace"}},
	{Name: "pgbouncer", Use: "PostgreSQL behind a pooler", Debian: []string{"pgbouncer"}, places: []string{"/usr/sbin"}},
}

// Compiler is the C compiler.
var Compiler = Tool{Name: "gcc", Use: "the race detector", Debian: []string{"gcc", "libc6-dev"}}

// Find returns the path of the tool.
func (t Tool) Find() (string, error) {
	var found []string
	for _, place := range t.places {
		paths, _ := filepath.Glob(filepath.Join(place, t.Name)) // the patterns are valid
		found = append(found, paths...)
	}
	if len(found) > 0 {
		return found[len(found)-1], nil
	}
	if path, err := exec.LookPath(t.Name); err == nil {
		return filepath.Abs(path)
	}
	return "", &MissingError{t}
}

// A MissingError means that a tool is not installed.
type MissingError struct{ Tool Tool }

func (e *MissingError) Error() string {
	text := e.Tool.Name + " is not installed"
	for i, p := range e.Tool.Debian {
		if i == 0 {
			text += ": sudo apt-get install"
		}
		text += " " + p
	}
	return text
}

// Find returns the path of the program called name, one of All.
func Find(name string) (string, error) {
	i := slices.IndexFunc(All, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return "", fmt.Errorf("%s is not among the tools of the tests", name)
	}
	return All[i].Find()
}

// A Test is a testing.TB, or a command that does what a test does.
type Test interface {
	Helper()
	Fatal(...any)
	Skip(...any)
}

// Require returns the path of a program, or skips the test.
func Require(t Test, name string) string {
	t.Helper()
	path, err := Find(name)
	Need(t, name, err)
	return path
}

// For stands between the reason why a test is skipped and what it needs.
const For = "; needed for "

// Need skips the test if what it needs is missing for the reason err.
func Need(t Test, what string, err error) {
	t.Helper()
	if err != nil {
		t.Skip(err.Error() + For + what)
	}
}
