package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// The conversation of a session that a newer release of another agent wrote says so.
func TestNewerRelease(t *testing.T) {
	d := newDesk(t)
	file := filepath.Join(d.home, ".claude", "projects", "-p", "newer.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(`{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","cwd":"$CWD","version":"99.0.1","message":{"role":"user","content":"fix the parser"}}`+"\n", "$CWD", d.cwd, 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d.start(func(c *tui.Config) { c.All = true })
	d.sees("› fix the parser")
	d.press("enter")
	d.sees("written by a newer Claude Code (99.0.1); some entries may be missing")
	d.sees("i write")
}
