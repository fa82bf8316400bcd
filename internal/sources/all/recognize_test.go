package all_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/tests/agents"
)

// Every session file of every agent is recognized after it was copied and renamed;
// no other file is taken for one.
func TestRecognize(t *testing.T) {
	sessions := map[string]string{
		"claude-code-*/projects/*/*.jsonl": "claude", "claude-code-*/projects/*/*/subagents/*.jsonl": "claude",
		"codex-*/sessions/*/*/*/*.jsonl": "codex", "copilot-cli-1.0.102/session-state/*/events.jsonl": "copilot",
		"gemini-cli-0.61.0/tmp/*/chats/*.jsonl": "gemini", "gemini-cli-0.61.0/tmp/*/chats/*/*.jsonl": "gemini",
		"kimi-code-2.1.0/sessions/*/*/agents/*/wire.jsonl": "kimi", "qwen-code-0.24.4/projects/*/chats/*.jsonl": "qwen",
	}
	want := map[string]string{}
	root := agents.Fixtures(t, ".")
	for pattern, name := range sessions {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("no session matches %s: %v", pattern, err)
		}
		for _, file := range files {
			want[file] = name
		}
	}
	recognized := func(data []byte) string {
		t.Helper()
		copied := filepath.Join(t.TempDir(), "copied.jsonl")
		if err := os.WriteFile(copied, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if p, ok := all.Recognize(t.Context(), copied); ok {
			return p.Name()
		}
		return ""
	}
	all := 0
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all++
		if got := recognized(data); got != want[path] {
			t.Errorf("%s is taken for %q, want %q", path, got, want[path])
		}
		return nil
	})
	if err != nil || all <= len(want) {
		t.Errorf("%d files, %d of them sessions: %v", all, len(want), err)
	}
	for file, name := range want { // the start of a file names no other agent
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(data, []byte("\n"))
		for n := range min(len(lines), 30) {
			if got := recognized(bytes.Join(lines[:n], nil)); got != "" && got != name {
				t.Errorf("the first %d lines of %s are taken for %q", n, file, got)
			}
		}
	}
	pi := `{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"hi"}}
`
	for _, text := range []string{pi, "", "notes\n", "{}\n", `{"type":"user","text":"hi"}` + "\n", strings.Repeat(fmt.Sprintf("{%q:1}\n", "type"), 10), "SQLite format 3\x00"} {
		if got := recognized([]byte(text)); got != "" {
			t.Errorf("%.40q is taken for %q", text, got)
		}
	}
}
