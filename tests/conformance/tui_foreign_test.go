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

// The app lists the sessions of other agents and shows their branches. It removes and
// restores them as their agent would, and refuses any other change.
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
	m := newTerminal(t, home, cwd, 140, 36)
	m.runs("clear; pith; echo code=$?.")
	m.sees("C fix the parser")
	m.then("X C1: first", "Tab")
	m.types("parser")
	m.gone("C1: first")
	m.then("Delete “fix the parser”?", "C-d")
	m.then("Moved to the trash", "y")
	if _, err := os.Stat(claude); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	m.then("Restored “fix the parser”", "C-z")
	if now, err := os.ReadFile(claude); err != nil || string(now) != text {
		t.Errorf("the file is not back: %v\n%s", err, now)
	}
	m.then("That is fast.", "Enter")
	m.sees("read-only")
	m.then("› tree", "t")
	m.sees("try a regular expression")
	m.sees("try a state machine")
	const refusal = "Claude Code sessions are read-only"
	m.then(refusal, "L")
	m.then("› │ ╰ ▸ try a regular expression", "b")
	m.then("That is slow.", "Enter") // shows the branch and asks nothing
	m.gone("That is fast.")
	m.press("i")
	m.says("hello", "claude is not installed")
	m.sees("> hello") // nothing is lost
	m.press("C-c")
	m.then("shell>", "C-c")
	if now, err := os.ReadFile(claude); err != nil || string(now) != text {
		t.Errorf("the file of Claude Code changed: %v\n%s", err, now)
	}
	m.runs("clear; pith ls --all --source claude; echo listed=$?.")
	if screen := m.sees("listed=0."); !strings.Contains(screen, "fix the parser") {
		t.Errorf("the session is gone:\n%s", screen)
	}
}

// A session of another agent is never opened for writing: O gives pi an
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
	m.then("enter unfold", "Enter")
	m.then("› pi  ", "O")
	m.then("▎ work in pi", "Enter")
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
	m.gone("π fix the parser") // the import, which is a session of pi
	m.sees("C fix the parser")
	m.then("› pi  ", "Up", "Space", "O")
	m.then("▎ work in pi", "Enter") // into the same copy
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
