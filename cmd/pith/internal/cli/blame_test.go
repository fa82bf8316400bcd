package cli_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// blamed is a project with a file that a session with hostile text wrote and a person
// changed, and the directory of sessions.
func blamed(t *testing.T) (project, store string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, store = filepath.Join(dir, "project"), filepath.Join(dir, "store")
	for _, name := range []string{project, store} {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const text = "package hostile \x1b]0;x\a\nfunc Harmless() {}\n"
	if err := os.WriteFile(filepath.Join(project, "a.go"), []byte(text+"func ByHand() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, entry := range []any{
		map[string]any{"type": "session", "version": 3, "id": "one", "timestamp": "2026-01-01T10:00:00.000Z", "cwd": project},
		map[string]any{"type": "message", "id": "e1", "parentId": nil, "timestamp": "2026-01-01T10:00:01.000Z", "message": map[string]any{"role": "user", "content": "do \x1b[31m\u202eit"}},
		map[string]any{"type": "message", "id": "e2", "parentId": "e1", "timestamp": "2026-01-01T10:00:02.000Z", "message": map[string]any{"role": "assistant", "provider": "p", "model": "m\x1b[2J", "content": []any{
			map[string]any{"type": "toolCall", "id": "c", "name": "write", "arguments": map[string]any{"path": "a.go", "content": text}}}}},
		map[string]any{"type": "message", "id": "e3", "parentId": "e2", "timestamp": "2026-01-01T10:00:03.000Z", "message": map[string]any{"role": "toolResult", "toolCallId": "c", "toolName": "write", "isError": false, "content": []any{}}},
	} {
		raw, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(raw)
		lines.WriteByte('\n')
	}
	if err := os.WriteFile(filepath.Join(store, "one.jsonl"), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return project, store
}

// On a terminal, blame is paged, colored and harmless.
func TestBlameOnTerminal(t *testing.T) {
	project, store := blamed(t)
	var shown pages
	started := ""
	d := desk{terminal: true, width: 100, cwd: project, env: map[string]string{"PAGER": "most"}, pager: func(command string) (io.WriteCloser, func() error, error) {
		started = command
		return &shown, func() error { return nil }, nil
	}}
	args := []string{"blame", "a.go", "--session-dir", store}
	code, stdout, stderr := d.run(t, args...)
	if code != 0 || stdout != "" || started != "most" || !shown.closed {
		t.Errorf("pith %q: exit code %d, %q, %q, pager %q", args, code, stdout, stderr, started)
	}
	colored := withoutColours(shown.String())
	if colored == shown.String() || !strings.Contains(colored, "func Harmless() {}") {
		t.Errorf("pith %q shows no colors, or no file:\n%q", args, shown.String())
	}
	checkHarmless(t, args, colored)
	d.env["NO_COLOR"] = "1"
	shown.Reset()
	if d.run(t, args...); shown.String() != colored {
		t.Errorf("pith %q without colors is %q, want %q", args, shown.String(), colored)
	}
	d = desk{width: 100, cwd: project}
	_, plain, _ := d.run(t, "blame", "a.go", "--session-dir", store)
	if strings.Count(plain, "\n") != 3 || !strings.HasPrefix(plain, "one 1 m\\x1b[2J") || !strings.Contains(plain, " 2) func Harmless() {}\n") {
		t.Errorf("pith blame to a file:\n%s", plain)
	}
}
