package all_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/claude"
	"github.com/pith-sessions/pith/tests/agents"
)

// layouts are where programs that keep files have a session, below their roots.
var layouts = map[string]string{
	"claude":  "-p/s.jsonl",
	"codex":   "sessions/2026/11/17/rollout-2026-11-17T01-02-03-11111111-2222-4333-8444-555555555501.jsonl",
	"gemini":  "p/chats/session-2026-11-17T01-02-11111111.jsonl",
	"qwen":    "p/chats/s.jsonl",
	"copilot": "s/events.jsonl",
	"kimi":    "wd_p_1/session_s/agents/main/wire.jsonl",
}

// prompts are lines of each program.
var prompts = map[string]string{
	"claude":  `{"type":"user","uuid":"u%[1]d","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","message":{"role":"user","content":"U%[1]d"}}`,
	"codex":   `{"timestamp":"2026-11-17T01:49:54.368Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"U%[1]d"}]}}`,
	"gemini":  `{"id":"u%[1]d","timestamp":"2026-11-17T01:49:54.368Z","type":"user","content":"U%[1]d"}`,
	"qwen":    `{"uuid":"u%[1]d","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","type":"user","message":{"parts":[{"text":"U%[1]d"}]}}`,
	"copilot": `{"type":"user.message","id":"u%[1]d","timestamp":"2026-11-17T01:49:54.368Z","data":{"content":"U%[1]d"}}`,
	"kimi":    `{"type":"context.append_message","time":1,"message":{"role":"user","id":"u%[1]d","content":[{"type":"text","text":"U%[1]d"}]}}`,
}

// write writes a session of a program and returns the root.
func write(t testing.TB, program string, data []byte) (root, file string) {
	t.Helper()
	root = t.TempDir()
	file = filepath.Join(root, filepath.FromSlash(layouts[program]))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return root, file
}

// translations returns the translated sessions of a root by their names.
func translations(t testing.TB, p sources.Program, root string) map[string][]byte {
	t.Helper()
	m := &agents.Translated{Program: p, Root: root, Dir: t.TempDir()}
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatalf("%s: %v", p.Name(), err)
	}
	return files(t, m.Dir)
}

func files(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "[^.]*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = data
		s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
		if err != nil {
			t.Fatalf("%v\n%.2000s", err, data)
		}
		for _, x := range s.Findings() {
			t.Errorf("line %d: %s\n%.2000s", x.Line, x.Text, data)
		}
		s.Close()
	}
	return out
}

// A line that is too long is named by an entry, and everything else is read.
func TestLongLines(t *testing.T) {
	for name, prompt := range prompts {
		t.Run(name, func(t *testing.T) {
			p, _ := all.Find(name)
			long := `{"type":"user","text":"` + strings.Repeat("x", 33<<20) + `"}`
			root, _ := write(t, name, []byte(fmt.Sprintf(prompt, 1)+"\n"+long+"\n"+fmt.Sprintf(prompt, 2)+"\n"))
			for _, data := range translations(t, p, root) {
				if len(data) > 1<<20 {
					t.Fatalf("the translation has %d bytes", len(data))
				}
				for _, want := range []string{"U1", "U2", sources.LongKind, fmt.Sprintf(`"size":%d`, len(long)+1)} {
					if !strings.Contains(string(data), want) {
						t.Errorf("no %s in\n%s", want, data)
					}
				}
			}
		})
	}
}

// Directories, loops and pipes that are named like sessions are passed over.
func TestOddFiles(t *testing.T) { // I19
	for name, prompt := range prompts {
		t.Run(name, func(t *testing.T) {
			p, _ := all.Find(name)
			root, file := write(t, name, []byte(fmt.Sprintf(prompt, 1)+"\n"))
			dir := filepath.Dir(file)
			if err := os.Mkdir(filepath.Join(dir, "d.jsonl"), 0o700); err != nil {
				t.Fatal(err)
			}
			for link, to := range map[string]string{"loop.jsonl": "loop.jsonl", "up": root, "gone.jsonl": "nowhere"} {
				if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(translations(t, p, root)); n != 1 {
				t.Errorf("%d sessions, want 1", n)
			}
		})
	}
}

// A session is read while its program writes to it: the lines read are some of
// those read later, in the same bytes.
func TestReadWhileWritten(t *testing.T) { // I18
	root, file := write(t, "claude", nil)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var before []byte
	for i := range 20 {
		line := fmt.Sprintf(prompts["claude"], i) + "\n"
		for _, part := range []string{line[:20], line[20:]} { // as a program that is interrupted
			if _, err := f.WriteString(part); err != nil {
				t.Fatal(err)
			}
			now := translations(t, claude.Program{}, root)["s.jsonl"]
			if !bytes.HasPrefix(now, before) {
				t.Fatalf("it was\n%s\nand is\n%s", before, now)
			}
			if i > 0 {
				before = now
			}
		}
	}
}

// A small session needs little memory: buffers are used again.
func TestSmallSessionsAreCheap(t *testing.T) {
	const n = 100
	root, file := write(t, "claude", nil)
	for i := range n {
		path := filepath.Join(filepath.Dir(file), fmt.Sprintf("s%d.jsonl", i))
		if err := os.WriteFile(path, fmt.Appendf(nil, prompts["claude"]+"\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := &agents.Translated{Program: claude.Program{}, Root: root, Dir: t.TempDir()}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 1<<20 {
		t.Errorf("%d bytes were allocated for each session of 140 bytes", each)
	}
}

// A home without any agent costs nothing.
func TestNoAgents(t *testing.T) { // I20
	home := t.TempDir()
	for _, p := range all.Programs() {
		for _, root := range p.Roots(sources.Environment{Home: home}) {
			if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %v", p.Name(), err)
			}
		}
	}
}
