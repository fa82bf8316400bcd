//go:build unix

package conformance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pith pick in a command substitution, at the end of a pipe, canceled, and
// without a terminal.
func TestTerminalPick(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	first := small(t, cwd, dir, "first")
	small(t, cwd, dir, "second")
	m := newTerminal(t, home, cwd, 100, 30)
	m.runs("clear; for id in $(pith pick); do pith name $id; done")
	m.sees("Choose a session")
	m.sees("› π second")
	m.press("C-Space", "C-Space")
	m.then("2 selected", "Up")
	m.press("Enter")
	if s := m.shell(); !strings.Contains(s, "second\nfirst\n") {
		t.Errorf("two sessions were chosen:\n%s", s)
	}
	m.runs("clear; x=$(echo | pith pick --path fir 2>/dev/null); test \"$x\" = '" + first + "' && echo the first.")
	m.sees("› π first")
	m.press("Enter")
	if s := m.shell(); !strings.Contains(s, "the first.\n") {
		t.Errorf("from a pipe, %s was not printed:\n%s", first, s)
	}
	m.runs("clear; pith pick --path > ~/out; echo code=$? $(cat ~/out).")
	m.sees("› π second")
	m.press("Escape")
	if s := m.shell(); !strings.Contains(s, "code=1 .\n") {
		t.Errorf("nothing was chosen:\n%s", s)
	}
	m.runs("clear; setsid -w pith pick < /dev/null 2> ~/err > ~/out; echo code=$? $(cat ~/out ~/err).")
	if s := m.shell(); !strings.Contains(s, "code=2 pith: not a terminal; use pith ls --json instead; see pith pick --help.\n") {
		t.Errorf("without a terminal:\n%s", s)
	}
}

// pith pick --path prints the file of another agent itself, not a translation.
func TestTerminalPickPrintsOriginals(t *testing.T) {
	t.Parallel()
	home, cwd, _ := project(t)
	claude := filepath.Join(home, ".claude", "projects", "-p", "c1a0de00-0000-4000-8000-000000000001.jsonl")
	if err := os.MkdirAll(filepath.Dir(claude), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(claude, []byte(strings.ReplaceAll(claudeSession, "$CWD", cwd)), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newTerminal(t, home, cwd, 100, 30)
	m.runs("clear; x=$(pith pick --path parser); test \"$x\" = '" + claude + "' && pith show \"$x\" && echo the original.")
	m.sees("› C fix the parser")
	m.press("Enter")
	if s := m.shell(); !strings.Contains(s, "the original.\n") || !strings.Contains(s, "That is fast.") {
		t.Errorf("%s was not printed:\n%s", claude, s)
	}
}
