package fullscreen

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// The way back to a session names its id where it is found by that, and else its file.
func TestWayBack(t *testing.T) {
	home := t.TempDir()
	const text = `{"type":"session","version":3,"id":"aaaa0010","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n"
	for place, want := range map[string]string{
		"elsewhere":                 "pith FILE, or pi --session FILE",
		".pi/agent/sessions/--p--/": "pith -r, or pi --session aaaa0010",
	} {
		file := filepath.Join(home, filepath.FromSlash(place), "2026-02-03T10-00-00-000Z_aaaa0010.jsonl")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		env := console.Env{
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Now: time.Now,
			Getenv:     func(name string) string { return map[string]string{"HOME": home}[name] },
			Cwd:        func() (string, error) { return home, nil },
			IsTerminal: func(any) bool { return false },
			Width:      func() int { return 80 },
		}
		a := &App{lookup.New(env)}
		if got, want := a.wayBack(t.Context(), tui.Farewell{SessionID: "aaaa0010", File: file}), strings.ReplaceAll(want, "FILE", file); got != want {
			t.Errorf("from %s: %s; want %s", place, got, want)
		}
		if got, want := a.wayBack(t.Context(), tui.Farewell{SessionID: "aaaa0010", File: file, Foreign: true}), "pith -r, or pith handover aaaa0010 --to pi"; got != want {
			t.Errorf("of another agent: %s; want %s", got, want)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
