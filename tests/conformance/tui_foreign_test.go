//go:build unix

package conformance_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/agents"
)

// claudeSession is a transcript of Claude Code with a branch that it does not show.
const claudeSession = `{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","cwd":"$CWD","version":"2.1.325","message":{"role":"user","content":"fix the parser"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","timestamp":"2026-11-17T01:49:57.368Z","message":{"id":"m1","role":"assistant","model":"x","content":[{"type":"text","text":"It lost a line."}]}}
{"type":"user","uuid":"u2","parentUuid":"a1","timestamp":"2026-11-17T01:49:58.368Z","message":{"role":"user","content":"try a regular expression"}}
{"type":"assistant","uuid":"a2","parentUuid":"u2","timestamp":"2026-11-17T01:49:59.368Z","message":{"id":"m2","role":"assistant","model":"x","content":[{"type":"text","text":"That is slow."}]}}
{"type":"user","uuid":"u3","parentUuid":"a1","timestamp":"2026-11-17T01:50:00.368Z","message":{"role":"user","content":"try a state machine"}}
{"type":"assistant","uuid":"a3","parentUuid":"u3","timestamp":"2026-11-17T01:50:01.368Z","message":{"id":"m3","role":"assistant","model":"x","content":[{"type":"text","text":"That is fast."}]}}
`

// The app lists the sessions of other agents and shows their branches. It removes,
// restores and renames them as their agent would. It refuses any other change and says
// how to go on.
func TestTerminalOtherAgents(t *testing.T) {
	t.Parallel()
	home, cwd, _ := project(t)
	const id = "c1a0de00-0000-4000-8000-000000000001"
	claude := filepath.Join(home, ".claude", "projects", "-p", id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(claude), 0o700); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(claudeSession, "$CWD", cwd)
	if err := os.WriteFile(claude, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(home, ".codex", "sessions"), os.DirFS(agents.Fixtures(t, "codex-0.166.0/sessions"))); err != nil {
		t.Fatal(err)
	}
	const refusal = "Claude Code sessions are read-only; import it first: pith import " + id
	m := newTerminal(t, home, cwd, 140, 36)
	m.runs("clear; pith; echo code=$?.")
	m.sees("fix the parser")
	m.then("C1: first", "Tab")
	if screen := m.screen(); !strings.Contains(screen, "codex") || !strings.Contains(screen, "claude") {
		t.Errorf("the list does not name the agents:\n%s", screen)
	}
	m.types("parser")
	m.gone("C1: first")
	m.then("Delete session?", "C-d")
	m.then("moved to the trash", "y")
	if _, err := os.Stat(claude); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the deletion: %v", err)
	}
	m.then("fix the parser", "C-z")
	if now, err := os.ReadFile(claude); err != nil || string(now) != text {
		t.Errorf("the file is not back: %v\n%s", err, now)
	}
	m.then("Rename Session", "C-r")
	m.says("my own parser", "my own parser · fix the parser")
	m.then("That is fast.", "Enter")
	m.sees("i write")
	m.then("Session Tree", "t")
	m.sees("try a regular expression")
	m.sees("try a state machine")
	m.then("Label (empty to remove)", "L")
	m.says("mark", refusal)
	m.then("esc to read", "i")
	m.gone(refusal)
	m.says("hello", refusal)
	m.press("C-c", "C-c")
	m.shell()
	named := `{"type":"custom-title","customTitle":"my own parser","sessionId":"` + id + `"}` + "\n"
	if now, err := os.ReadFile(claude); err != nil || string(now) != text+named {
		t.Errorf("the file of Claude Code changed: %v\n%s", err, now)
	}
	m.runs("clear; pith ls --all --source claude; echo listed=$?.")
	if screen := m.sees("listed=0."); !strings.Contains(screen, "my own parser") {
		t.Errorf("the session is gone:\n%s", screen)
	}
}

// A session of another agent is never opened for writing: o and alt+o give pi an
// imported copy, which keeps pi's work when the original grows.
func TestTerminalHandsOverOtherAgents(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	const id = "c1a0de00-0000-4000-8000-000000000001"
	claude := filepath.Join(home, ".claude", "projects", "-p", id+".jsonl")
	bin := filepath.Join(home, "bin")
	// The stub appends one message to the file that it is given.
	const stub = `#!/bin/sh
echo '{"type":"message","id":"'$(printf %08x $$)'","parentId":"'$(tail -n 1 "$2" | sed 's/.*"id":"\([^"]*\)","parentId.*/\1/')'","timestamp":"2026-11-17T02:00:00.000Z","message":{"role":"user","content":"work in pi '$$'","timestamp":1794880800000}}' >> "$2"
`
	text := strings.ReplaceAll(claudeSession, "$CWD", cwd)
	for path, data := range map[string]string{claude: text, filepath.Join(bin, "pi"): stub} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(data), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	m := newTerminal(t, home, cwd, 140, 36)
	m.runs("PATH=" + bin + ":$PATH; clear; pith")
	m.sees("fix the parser")
	m.then("i write", "Enter")
	m.then("▎ work in pi", "o")
	m.sees("i write")
	m.types("q")
	m.shell()

	// The original grows, and so does what pi wrote.
	f, err := os.OpenFile(claude, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"type":"user","uuid":"u4","parentUuid":"a3","timestamp":"2026-11-17T03:00:00.000Z","message":{"role":"user","content":"and in Claude Code"}}` + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	m.runs("clear; pith search 'work in pi'; echo found=$?.")
	if screen := m.sees("found=0."); !strings.Contains(screen, "work in pi") {
		t.Errorf("the work in pi is lost:\n%s", screen)
	}
	m.runs("clear; pith")
	m.types("source:claude")
	m.gone("claude 8") // the import, which is a session of pi
	m.sees("fix the parser")
	m.then("▎ work in pi", "M-o") // into the same copy
	m.sees("i write")
	m.types("q")
	m.shell()
	files := sessionFiles(t, dir)
	if len(files) != 1 {
		t.Fatalf("imported as %q, want one session", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil || strings.Count(string(data), "work in pi") != 2 || !strings.Contains(string(data), "and in Claude Code") {
		t.Errorf("the import has not both continuations: %v\n%s", err, data)
	}
	if now, err := os.ReadFile(claude); err != nil || !strings.HasPrefix(string(now), text) || strings.Contains(string(now), "work in pi") {
		t.Errorf("the file of Claude Code changed: %v\n%s", err, now)
	}
}
