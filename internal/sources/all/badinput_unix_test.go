//go:build unix

package all_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/tests/agents"
)

// Pipes in place of sessions, and of the small files beside them, are passed over: to
// read one would never end.
func TestPipes(t *testing.T) { // I19
	beside := map[string][]string{
		"claude": {"-p/x.jsonl", "-p/s/subagents/agent-1.meta.json", "../settings.json"}, "codex": {"session_index.jsonl"},
		"gemini": {"p/.project_root", "p/chats/session-2026-11-17T01-02-22222222.jsonl", "../settings.json"}, "qwen": {"p/chats/x.jsonl"},
		"copilot": {"s/workspace.yaml", "x/events.jsonl"}, "kimi": {"wd_p_1/session_s/state.json", "wd_p_1/session_s/agents/x/wire.jsonl"},
	}
	for name, prompt := range prompts {
		t.Run(name, func(t *testing.T) {
			p, _ := all.Find(name)
			at, file := write(t, name, []byte(fmt.Sprintf(prompt, 1)+"\n"))
			root := filepath.Join(at, "root", "projects") // so that what lies beside the root is the test's own
			if name == "codex" {
				root = at
			} else {
				rel, err := filepath.Rel(at, file)
				if err != nil {
					t.Fatal(err)
				}
				to := filepath.Join(root, rel)
				if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(file, to); err != nil {
					t.Fatal(err)
				}
			}
			for _, pipe := range beside[name] {
				path := filepath.Join(root, filepath.FromSlash(pipe))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := syscall.Mkfifo(path, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			m := &agents.Translated{Program: p, Root: root, Dir: t.TempDir()}
			_ = m.Refresh(t.Context()) // it may name the pipes
			if got := files(t, m.Dir); len(got) != 1 {
				t.Errorf("%d sessions, want 1", len(got))
			}
			if d, ok := p.(sources.Deleter); ok {
				d.Retention(sources.Environment{Home: filepath.Dir(filepath.Dir(root)), Getenv: func(name string) string {
					return map[string]string{"CLAUDE_CONFIG_DIR": filepath.Dir(root)}[name]
				}})
			}
		})
	}
}

// A database that is locked or damaged is named once; what was read of it before stays,
// and its bytes are not touched.
func TestDamagedDatabase(t *testing.T) {
	data, err := os.ReadFile(fixtureRoots(t)["opencode"])
	if err != nil {
		t.Fatal(err)
	}
	p, _ := all.Find("opencode")
	for name, harm := range map[string]func(path string){
		"no database": func(path string) { must(t, os.WriteFile(path, []byte(strings.Repeat("garbage ", 4096)), 0o600)) },
		"cut":         func(path string) { must(t, os.Truncate(path, int64(len(data)/2))) },
		"empty":       func(path string) { must(t, os.Truncate(path, 0)) },
		"other tables": func(path string) {
			must(t, os.Remove(path))
			_, err := openDatabase(t, path).Exec(`CREATE TABLE session (id text, renamed text)`)
			must(t, err)
		},
		"locked": func(path string) {
			_, err := openDatabase(t, path).Exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; UPDATE session SET title = 'x'`)
			must(t, err)
			must(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0))) // it looks changed
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "opencode.db")
			must(t, os.WriteFile(path, data, 0o600))
			m := &agents.Translated{Program: p, Root: path, Dir: t.TempDir()}
			must(t, m.Refresh(t.Context()))
			had := len(files(t, m.Dir))
			harm(path)
			before, err := os.ReadFile(path)
			must(t, err)
			if err := m.Refresh(t.Context()); err == nil {
				t.Error("nothing is said about it")
			}
			if got := len(files(t, m.Dir)); got != had || had == 0 {
				t.Errorf("%d sessions are left of %d", got, had)
			}
			if now, err := os.ReadFile(path); err != nil || string(now) != string(before) {
				t.Errorf("the database changed: %v", err)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
