//go:build unix

package conformance_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/interop/pi"
	others "github.com/pith-sessions/pith/tests/interop/programs"
)

// In the real pi the extension lists, pins, finds and opens sessions, imports those of
// other agents, forks one whose folder is gone, moves one whose folder moved, recalls
// earlier sessions, and warns of another writer.
func TestExtensionInPi(t *testing.T) {
	program := pi.Require(t, pi.V0_87_1)
	stage := others.Require(t, "claude")
	agentDir := filepath.Join(stage.Home, ".pi", "agent")
	put(t, filepath.Join(agentDir, "models.json"), fmt.Sprintf(
		`{"providers":{"fake":{"baseUrl":%q,"api":"anthropic-messages","apiKey":"k","models":[{"id":"m1","contextWindow":200000,"maxTokens":8000}]}}}`, stage.Model), 0o600)
	put(t, filepath.Join(agentDir, "settings.json"), `{"defaultProvider":"fake","defaultModel":"m1"}`, 0o600)
	stage.Start("what claude was asked")
	atomic := filepath.Join(stage.Home, ".atomic", "agent", "sessions", "--project--", "2026-02-03T10-00-00-000Z_019c0000-0000-7000-8000-00000000a70a.jsonl")
	put(t, atomic, fmt.Sprintf(`{"type":"session","version":3,"id":"019c0000-0000-7000-8000-00000000a70a","timestamp":"2026-02-03T10:00:00.000Z","cwd":%q}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"what atomic was asked","timestamp":1770112801000}}
`, stage.Project), 0o600)
	gone := filepath.Join(filepath.Dir(stage.Project), "gone")
	asks := func(dir, prompt string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := program.Program(t.Context(), agentDir, "-p", prompt)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("pi: %v\n%s", err, out)
		}
	}
	asks(stage.Project, "the gyroscope drifts")
	asks(gone, "a question far away")
	old, moved := filepath.Join(filepath.Dir(stage.Project), "old"), filepath.Join(filepath.Dir(stage.Project), "moved")
	asks(old, "a question before the move")
	if err := errors.Join(os.RemoveAll(gone), os.Rename(old, moved)); err != nil {
		t.Fatal(err)
	}
	pithIn(t, stage, "install", "pi", "--recall", "--yes")

	term := newTerminal(t, stage.Home, stage.Project, 120, 40)
	cmd := program.Program(t.Context(), agentDir)
	for _, variable := range cmd.Env {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PI_") {
			term.runs("export '" + variable + "'")
		}
	}
	term.runs("clear; '" + strings.Join(cmd.Args, "' '") + "'")
	term.sees("(auto)")
	opens := func(title, answer string, keys ...string) {
		t.Helper()
		term.says("/sessions", "Ctrl+P pin")
		term.press(keys...)
		term.types(title)
		term.until("the session as the only one", func(s string) bool {
			return strings.Contains(s, ": 1\n> "+title) && strings.Contains(s, "  "+title)
		})
		term.then(answer, "Enter")
	}

	// pi takes commands when its startup is over, and leaves one that is too early in
	// the input.
	term.types("/hotkeys")
	term.until("the end of the startup", func(s string) bool {
		if !strings.Contains(s, "Slash commands") {
			term.press("Enter")
		}
		return strings.Contains(s, "Slash commands")
	})

	// The list has the sessions of all agents, and keeps pins.
	screen := term.says("/sessions", "Sessions of this project: 3\n")
	if !strings.Contains(screen, "what claude was asked  [claude]") || !strings.Contains(screen, "the gyroscope drifts\n") {
		t.Errorf("the list is\n%s", screen)
	}
	term.types("gyro")
	term.sees("this project: 1\n> gyro")
	term.then("❯ *", "C-p")
	term.press("Enter")
	term.sees("Answer to: the gyroscope drifts")
	if list := pithIn(t, stage, "ls"); !strings.Contains(list, "* the gyroscope drifts") {
		t.Errorf("pith ls = %s; want the pin", list)
	}

	// Another agent's session becomes one of pi, and the other stays as it is.
	opens("what claude was asked", "Import this session?")
	term.then("Answer to: what claude was asked", "Enter")

	// One of a program that writes pi's format becomes a fork.
	opens("what atomic was asked", "Fork this session?")
	term.press("Enter")
	term.until("the fork", func(s string) bool {
		forks, err := filepath.Glob(filepath.Join(agentDir, "sessions", "*project--", "*.jsonl"))
		return err == nil && len(forks) == 3 && !strings.Contains(s, "Fork this session?")
	})

	// A session without its folder is forked into this one.
	opens("a question far away", "The folder of this session is gone", "Tab")
	term.then("Answer to: a question far away", "Enter")

	// The sessions of a folder that moved move too.
	opens("a question before the move", "The folder of this session is gone", "Tab")
	term.then("→ The folder moved", "Down")
	term.then("Where is it now?", "Enter")
	term.types(moved)
	term.then("Answer to: a question before the move", "Enter")
	if list := pithIn(t, stage, "ls", "--project", moved); !strings.Contains(list, "a question before the move") {
		t.Errorf("pith ls --project %s = %s; want the session", moved, list)
	}

	// Words are found in all sessions.
	term.says("/find gyroscope", "Sessions with gyroscope")
	term.then("Answer to: the gyroscope drifts", "Enter")

	// Another process that writes is told of.
	files, err := filepath.Glob(filepath.Join(agentDir, "sessions", "*", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), "the gyroscope drifts") {
			pithIn(t, stage, "append", file, "from elsewhere")
		}
	}
	term.sees("another process writes to this session: 1 new entry is not shown here")

	// With a prompt the model gets the earlier session that it is about.
	term.press("C-u")
	term.types("/new")
	term.then("New session started", "Enter")
	term.says("the gyroscope drifts again", "Answer to: Earlier sessions of this project")
	if got := strings.Join(textsOf(stage, "the gyroscope drifts again"), "\n"); !strings.Contains(got, "found by pith") || !strings.Contains(got, sessionWith(t, stage, "the gyroscope drifts")) {
		t.Errorf("the model got %s; want the earlier session", got)
	}
}
