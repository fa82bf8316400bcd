package webui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
)

// No command gives another program a copy that pith made: what it would write there is
// lost when the original grows.
func TestNoCommandForCopies(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "2026-02-03T22-52-06-410Z_"+ownID+".jsonl"), []byte(talk), 0o600); err != nil {
		t.Fatal(err)
	}
	claude := `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"c1a0de00-0000-4000-8000-000000000001","timestamp":"2026-11-17T01:49:54.368Z","cwd":"/p","message":{"role":"user","content":"fix the parser"}}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "c1a0de00-0000-4000-8000-000000000001.jsonl"), []byte(claude), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := webui.New("127.0.0.1:0", webui.Config{App: over(dir), Note: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	c := enter(t, s)
	for _, key := range keysOf(t, c) {
		_, text := c.get("s/" + key)
		if writes := strings.Contains(text, "pi --session"); writes != (key == ownID) {
			t.Errorf("the page of %s offers to resume in pi: %t", key, writes)
		}
	}
}
