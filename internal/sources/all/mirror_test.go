package all_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/claude"
)

// refreshes makes the test binary refresh a mirror again and again: its root
// and directory.
const refreshes = "PITH_TEST_REFRESHES"

func TestMain(m *testing.M) {
	if root, dir, ok := strings.Cut(os.Getenv(refreshes), "\n"); ok {
		mirror := sources.Mirror{Program: claude.Program{}, Root: root, Dir: dir}
		for range 20 {
			if err := mirror.Refresh(context.Background()); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

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

// translations returns the files of a mirror of a root by their names.
func translations(t testing.TB, p sources.Program, root string) map[string][]byte {
	t.Helper()
	m := &sources.Mirror{Program: p, Root: root, Dir: t.TempDir()}
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

// counting counts translations, and fails or cancels on request.
type counting struct {
	claude.Program
	n     *atomic.Int32
	visit func() error
}

func (c counting) Translate(ctx context.Context, s sources.Session, w *sources.Writer) error {
	c.n.Add(1)
	if c.visit != nil {
		if err := c.visit(); err != nil {
			return err
		}
	}
	return c.Program.Translate(ctx, s, w)
}

// Only what changed is translated; a refresh that is cancelled loses nothing.
func TestRefreshIsIncremental(t *testing.T) {
	root, file := write(t, "claude", []byte(fmt.Sprintf(prompts["claude"], 1)+"\n"))
	other := filepath.Join(filepath.Dir(file), "other.jsonl")
	if err := os.WriteFile(other, []byte(fmt.Sprintf(prompts["claude"], 5)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var n atomic.Int32
	p := counting{n: &n}
	m := &sources.Mirror{Program: p, Root: root, Dir: t.TempDir()}
	count := func(want int32) {
		t.Helper()
		n.Store(0)
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := n.Load(); got != want {
			t.Errorf("%d translations, want %d", got, want)
		}
	}
	count(2)
	state, err := os.Stat(filepath.Join(m.Dir, ".state.json"))
	if err != nil {
		t.Fatal(err)
	}
	count(0)
	if again, err := os.Stat(filepath.Join(m.Dir, ".state.json")); err != nil || !os.SameFile(state, again) {
		t.Errorf("the state was written though nothing changed: %v", err)
	}
	if err := sources.AppendLine(file, map[string]string{"type": "x"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p.visit = func() error { cancel(); return ctx.Err() }
	m.Program = p
	if err := m.Refresh(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Refresh = %v", err)
	}
	if got := len(files(t, m.Dir)); got != 2 {
		t.Errorf("%d sessions after a cancelled refresh, want 2", got)
	}
	p.visit = nil
	m.Program = p
	count(1)
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	count(0)
	if got := len(files(t, m.Dir)); got != 1 {
		t.Errorf("%d sessions, want 1", got)
	}
}

// Two processes refresh a mirror while the program writes.
func TestTwoProcesses(t *testing.T) { // I18
	root, file := write(t, "claude", nil)
	dir := t.TempDir()
	var running []*exec.Cmd
	for range 2 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), refreshes+"="+root+"\n"+dir)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, c)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 200 {
		line := fmt.Sprintf(prompts["claude"], i) + "\n"
		for _, part := range []string{line[:20], line[20:]} { // as a program that is interrupted
			if _, err := f.WriteString(part); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range running {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	m := &sources.Mirror{Program: claude.Program{}, Root: root, Dir: dir}
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, want := files(t, dir), translations(t, claude.Program{}, root)
	if !bytes.Equal(got["s.jsonl"], want["s.jsonl"]) {
		t.Errorf("the mirror has %d bytes, want %d", len(got["s.jsonl"]), len(want["s.jsonl"]))
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
	m := &sources.Mirror{Program: claude.Program{}, Root: root, Dir: t.TempDir()}
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
	m := &sources.Mirror{Program: claude.Program{}, Root: t.TempDir(), Dir: filepath.Join(t.TempDir(), "mirror")}
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(m.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty root made a mirror: %v", err)
	}
}
