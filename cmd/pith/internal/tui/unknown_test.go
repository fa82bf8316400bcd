package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// The conversation of a session with records that pith does not know says so.
func TestUnknownRecords(t *testing.T) {
	d := newDesk(t)
	file := filepath.Join(d.home, ".claude", "projects", "-p", "unknown.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(`{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","cwd":"$CWD","message":{"role":"user","content":"fix the parser"}}`+"\n"+`{"type":"frob"}`+"\n", "$CWD", d.cwd, 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d.start(func(c *tui.Config) { c.All = true })
	d.sees("› C fix the parser")
	d.press("enter")
	d.sees(`unknown Claude Code records are not shown: "frob"`)
	d.sees("enter unfold")
}
