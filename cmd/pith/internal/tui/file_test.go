package tui_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// edited writes a session that made calls of the tool write, one per turn: a path and a
// content each.
func (d *desk) edited(id string, at int, writes ...[2]string) string {
	d.t.Helper()
	dir := d.env().Place(d.cwd).For(d.cwd)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	var out strings.Builder
	n := 0
	stamp := func() string { n++; return fmt.Sprintf("2026-03-01T%02d:00:%02d.000Z", at, n) }
	put := func(v map[string]any) {
		raw, err := json.Marshal(v)
		if err != nil {
			d.t.Fatal(err)
		}
		out.Write(raw)
		out.WriteByte('\n')
	}
	put(map[string]any{"type": "session", "version": 3, "id": id, "timestamp": stamp(), "cwd": d.cwd})
	var parent any
	add := func(entry string, message map[string]any) {
		put(map[string]any{"type": "message", "id": entry, "parentId": parent, "timestamp": stamp(), "message": message})
		parent = entry
	}
	for i, w := range writes {
		add(fmt.Sprintf("%s-u%d", id, i), map[string]any{"role": "user", "content": fmt.Sprintf("%s asks %d", id, i)})
		add(fmt.Sprintf("%s-a%d", id, i), map[string]any{"role": "assistant", "provider": "p", "model": "m1", "stopReason": "toolUse", "content": []any{
			map[string]any{"type": "toolCall", "id": fmt.Sprintf("%s-c%d", id, i), "name": "write", "arguments": map[string]any{"path": w[0], "content": w[1]}}}})
		add(fmt.Sprintf("%s-r%d", id, i), map[string]any{"role": "toolResult", "toolCallId": fmt.Sprintf("%s-c%d", id, i), "toolName": "write", "isError": false, "content": []any{map[string]any{"type": "text", "text": "written"}}})
		add(fmt.Sprintf("%s-d%d", id, i), map[string]any{"role": "assistant", "provider": "p", "model": "m1", "stopReason": "stop", "content": []any{map[string]any{"type": "text", "text": fmt.Sprintf("%s did %d", id, i)}}})
	}
	file := filepath.Join(dir, id+".jsonl")
	if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return file
}

// Enter on an unfolded edit shows the file at the lines of the turn, Esc goes back, and
// Enter on a line goes to the turn that wrote it, also in another session.
func TestFileOfAnEdit(t *testing.T) {
	d := newDesk(t)
	const one, two = "package lexer\n\nfunc FirstFunction() {}\n", "package lexer\n\nfunc FirstFunction() {}\n\nfunc SecondFunction() {}\n"
	d.edited("first", 10, [2]string{"lexer.go", one})
	file := d.edited("second", 11, [2]string{"notes.md", "some notes"}, [2]string{"lexer.go", two})
	if err := os.WriteFile(filepath.Join(d.cwd, "lexer.go"), []byte(two+"// by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("second did 1")
	d.sees("second asks 0")
	d.press("esc ] ] ] ] ] ] [")
	d.press("enter") // unfolds
	d.sees("func SecondFunction() {}")
	d.press("enter")
	d.sees("show the turn")
	d.sees("turn 2 · p/m1 · second asks 1")
	if !strings.Contains(d.screen(), "›▌ 5 func SecondFunction() {}") || strings.Contains(d.screen(), "▌ 3") {
		t.Errorf("the lines of the turn are not marked:\n%s", d.screen())
	}
	d.press("down")
	d.sees("no session is known to have written this line")
	d.press("enter") // nothing to go to
	d.sees("no session is known to have written this line")
	d.press("esc")
	d.gone("show the turn")
	d.sees("second did 1")

	d.press("enter enter") // it was folded
	d.sees("show the turn")
	d.press("enter")
	d.gone("show the turn")
	d.sees("second asks 1")

	d.press("] enter enter")
	d.sees("show the turn")
	d.press("g")
	d.sees("first · 2026-03-01")
	d.press("enter")
	d.sees("first asks 0")
	d.gone("second asks 1")
}

// A file outside the project is not read, and one that is gone is said to be.
func TestFileOfAHostileEdit(t *testing.T) {
	d := newDesk(t)
	secret := filepath.Join(d.home, "secret")
	if err := os.WriteFile(secret, []byte("the secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(d.home, filepath.Join(d.cwd, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"../secret": "is outside the project", secret: "is outside the project", "link/secret": "secret", "gone.go": "gone.go does not exist any more"} {
		file := d.edited("only", 10, [2]string{path, "x\n"})
		d.start(func(c *tui.Config) { c.Open = file })
		d.sees("only did 0")
		d.press("esc ] ] ] [ enter enter")
		d.sees(want)
		if strings.Contains(d.screen(), "the secret") || strings.Contains(d.screen(), "show the turn") {
			t.Errorf("%s is shown:\n%s", path, d.screen())
		}
		d.close()
		d.closed = false
	}
}
