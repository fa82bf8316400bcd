package webui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
	"github.com/pith-sessions/pith/sessiondir"
)

// Sessions of other agents are listed with the agent and shown with the
// branches that their program hides. No address changes them.
func TestOtherAgents(t *testing.T) {
	home := t.TempDir()
	const id = "c1a0de00-0000-4000-8000-000000000001"
	path := filepath.Join(home, ".claude", "projects", "-p", id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	text := strings.Join([]string{
		`{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","cwd":"/p","message":{"role":"user","content":"fix <b>the parser"}}`,
		`{"type":"user","uuid":"u2","parentUuid":"u1","timestamp":"2026-11-17T01:49:55.368Z","message":{"role":"user","content":"try a regular expression"}}`,
		`{"type":"user","uuid":"u3","parentUuid":"u1","timestamp":"2026-11-17T01:49:56.368Z","message":{"role":"user","content":"try a state machine"}}`, "",
	}, "\n")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := webui.New("127.0.0.1:0", webui.Config{App: &ops.App{Environment: sessiondir.Environment{Home: home, Getenv: func(string) string { return "" }}}, Note: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	c := enter(t, s)
	if code, list := c.get(""); code != 200 || !strings.Contains(list, id) || !strings.Contains(list, `title="Claude Code"`) {
		t.Errorf("the list = %d, %s; want the session and its agent", code, list)
	}
	code, shown := c.get("s/" + id)
	if code != 200 || !strings.Contains(shown, "try a state machine") || strings.Contains(shown, "<b>the parser") {
		t.Errorf("the page = %d, %s; want the conversation, as text", code, shown)
	}
	if !strings.Contains(shown, "pith handover "+id+" --to pi") || strings.Contains(shown, "pi --session") || strings.Contains(shown, "pith branch") || strings.Contains(shown, "pith fork") {
		t.Errorf("the page offers commands that would be refused, or write to the translation: %s", shown)
	}
	if code, tree := c.get("s/" + id + "/index.json"); code != 200 || !strings.Contains(tree, "try a regular expression") || !strings.Contains(tree, "try a state machine") {
		t.Errorf("index.json = %d, %s; want both branches", code, tree)
	}
	if strings.Contains(shown, "nknown Claude Code records") {
		t.Errorf("the page says that records are unknown: %s", shown)
	}
	newer := text + `{"type":"frob"}` + "\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "newer.jsonl"), []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, shown := c.get("s/newer"); !strings.Contains(shown, "Unknown Claude Code records are not shown: &#34;frob&#34;; a newer pith may know them.") {
		t.Errorf("the page does not name the unknown records: %s", shown)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
		if resp := c.ask(method, "s/"+id, "", nil); resp.StatusCode < 400 {
			t.Errorf("%s = %d", method, resp.StatusCode)
		}
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != text {
		t.Errorf("the file of the program changed: %v", err)
	}
}
