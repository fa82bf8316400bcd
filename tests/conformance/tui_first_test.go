//go:build unix

package conformance_test

import (
	"os"
	"path/filepath"
	"testing"
)

// On a machine without sessions the app opens the demo: it can be searched, opened and
// left, Space n starts a session of the user, and with that the demo is gone.
func TestTerminalFirstContact(t *testing.T) {
	home := t.TempDir()
	cwd := filepath.Join(home, "proj")
	if err := os.Mkdir(cwd, 0o700); err != nil {
		t.Fatal(err)
	}
	m := newTerminal(t, home, cwd, 140, 40)
	m.runs("clear; pith; echo code=$?")
	m.sees("demo: you have no sessions yet")
	m.sees("duplicate delivery mails")
	m.sees("staging deploy fails")
	for _, text := range []string{"(missing)", "custom"} {
		m.gone(text)
	}
	m.types("duplicate delivery")
	m.gone("staging deploy fails")
	m.press("Enter")
	m.gone("demo: you have no sessions yet") // the preview shows the same text
	m.sees("20 of 20 runs pass")
	m.press("Escape")
	m.sees("demo: you have no sessions yet")
	m.press("C-u")
	m.sees("staging deploy fails")
	m.types("staging deploy")
	m.gone("duplicate delivery mails")
	m.press("C-u", "Down", "Down")
	m.sees("7c1f0b52-3f0e-4d5a-9f43-2b6d8a51c0e7.jsonl")
	m.sees(".claude/projects/")
	m.gone(".cache/") // the file is Claude Code's own, not the translation of it
	m.then("no messages yet", "Space", "n")
	m.press("q")
	m.shell()
	for _, name := range []string{".pi", ".claude", ".codex"} {
		if _, err := os.Stat(filepath.Join(home, name)); !os.IsNotExist(err) {
			t.Errorf("the demo made ~/%s: %v", name, err)
		}
	}

	m.runs("clear; pith new --message mine >/dev/null; pith; echo code=$?")
	m.sees("Sessions · proj")
	m.sees("mine")
	m.then("Sessions · all projects", "Tab")
	m.gone("demo:")
	m.gone("duplicate delivery mails")
	m.press("Escape")
	m.shell()
}
