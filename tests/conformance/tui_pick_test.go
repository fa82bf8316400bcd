//go:build unix

package conformance_test

import (
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
	m.sees("Choose Session")
	m.sees("› second")
	m.press("Tab", "Tab")
	m.then("Chosen: 2", "Up")
	m.press("Enter")
	if s := m.shell(); !strings.Contains(s, "second\nfirst\n") {
		t.Errorf("two sessions were chosen:\n%s", s)
	}
	m.runs("clear; x=$(echo | pith pick --path fir 2>/dev/null); test \"$x\" = '" + first + "' && echo the first.")
	m.sees("› first")
	m.press("Enter")
	if s := m.shell(); !strings.Contains(s, "the first.\n") {
		t.Errorf("from a pipe, %s was not printed:\n%s", first, s)
	}
	m.runs("clear; pith pick --path > ~/out; echo code=$? $(cat ~/out).")
	m.sees("› second")
	m.press("Escape")
	if s := m.shell(); !strings.Contains(s, "code=1 .\n") {
		t.Errorf("nothing was chosen:\n%s", s)
	}
	m.runs("clear; setsid -w pith pick < /dev/null 2> ~/err > ~/out; echo code=$? $(cat ~/out ~/err).")
	if s := m.shell(); !strings.Contains(s, "code=2 pith: not a terminal; use pith ls --json instead; see pith pick --help.\n") {
		t.Errorf("without a terminal:\n%s", s)
	}
}
