//go:build unix

package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// small writes a session of two messages into a directory and returns its file.
func small(t *testing.T, cwd, dir, name string) string {
	t.Helper()
	s, err := pith.Create(pith.Options{Cwd: cwd, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []format.Message{
		format.NewUser("what is pith?", time.Now()),
		&format.Assistant{Content: format.BlockContent(&format.TextBlock{Text: "A session engine."}), API: "a", Provider: "p", Model: "m",
			StopReason: "stop", Timestamp: time.Now().UnixMilli()},
	} {
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if name != "" {
		if _, err := s.SetName(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the next session is newer, by the clock of any file system
	return s.File()
}

// put writes a file and its parent directories.
func put(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// A conversation with a model: streamed, steered, interrupted, compacted on the
// way out of nothing.
func TestTerminalConversation(t *testing.T) {
	t.Parallel()
	server := llmtest.NewServer()
	t.Cleanup(server.Close)
	hold := make(chan struct{})
	server.Answer(llmtest.Text("It is Tuesday.").Tokens(100, 5), llmtest.Text("slowly, slowly, slowly").HoldAt(400, hold), llmtest.Text("Yes, again."))
	home, cwd, dir := project(t)
	put(t, filepath.Join(home, ".pi", "agent", "models.json"), fmt.Sprintf(
		`{"providers":{"local":{"baseUrl":%q,"api":"anthropic-messages","apiKey":"k","models":[{"id":"tiny","contextWindow":200000,"maxTokens":8000}]}}}`, server.URL), 0o600)
	file := small(t, cwd, dir, "talk")
	m := newTerminal(t, home, cwd, 100, 30)
	m.runs("clear; pith")
	m.sees("talk")
	m.press("Enter")
	m.sees("tiny")
	m.says("what day is it?", "It is Tuesday.")
	m.says("go on", "working, esc stops")
	m.says("and then this", "queued: and then this")
	m.press("M-Up")
	m.gone("queued:")
	m.then("interrupted", "C-c")
	m.then("Cleared the text", "C-c")
	close(hold)
	m.says("once more?", "Yes, again.")
	m.says("/quit", "resume with:")
	m.shell()
	said := texts(t, file)
	for _, want := range []string{"what day is it?", "It is Tuesday.", "go on", "once more?", "Yes, again."} {
		if !slices.Contains(said, want) {
			t.Errorf("the session lacks %q: %q", want, said)
		}
	}
	if slices.Contains(said, "and then this") {
		t.Errorf("what was taken back was said: %q", said)
	}
}

// texts returns the texts on the path to the leaf of a session.
func texts(t *testing.T, file string) []string {
	t.Helper()
	s := openPith(t, file, pith.Options{ReadOnly: true})
	v := s.View()
	path, err := v.Path("")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, pos := range path {
		e, err := v.Entry(pos)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := e.(*format.MessageEntry)
		if !ok {
			continue
		}
		switch m := m.Message.(type) {
		case *format.User:
			out = append(out, m.Content.PlainText())
		case *format.Assistant:
			out = append(out, m.Content.PlainText())
		}
	}
	return out
}

// Another program writes to the session: what it says appears. Handed over to
// another agent, the session is closed meanwhile and shown again as it is then.
func TestTerminalOthersWrite(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	file := small(t, cwd, dir, "shared")
	put(t, filepath.Join(home, "bin", "pi"), `#!/bin/sh
# Stands in for pi: tells what it was given and says something to the session.
echo "pi got $*"
pith append "$2" "said in pi" > /dev/null
echo "press Enter"
read answer
`, 0o755)
	m := newTerminal(t, home, cwd, 100, 30)
	m.runs("export PATH=$HOME/bin:$PATH; clear; pith")
	m.sees("shared")
	m.press("Enter")
	m.sees("A session engine.")

	other := openPith(t, file, pith.Options{})
	if _, err := other.AppendMessage(t.Context(), format.NewUser("written elsewhere", time.Now())); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	m.sees("▎ written elsewhere")

	m.press("o")
	if screen := m.sees("press Enter"); !strings.Contains(screen, "pi got --session "+file[:20]) {
		t.Errorf("pi was started otherwise:\n%s", screen)
	}
	m.then("▎ said in pi", "Enter")
	m.press("q")
	m.shell()
	if got, want := texts(t, file), []string{"what is pith?", "A session engine.", "written elsewhere", "said in pi"}; !slices.Equal(got, want) {
		t.Errorf("the session says %q, want %q", got, want)
	}
}

// However the app ends, the terminal is restored: the shell's screen, its
// cursor, no mouse (pitfall 148). The title shows no control characters.
func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	small(t, cwd, dir, "evil\x1b]0;owned\x07 name")
	m := newTerminal(t, home, cwd, 80, 24)
	before := m.modes()
	for _, end := range []struct {
		how  string
		code string
		do   func(pid int)
	}{
		{"leaving the list", "0", func(int) { m.press("Escape") }},
		{"leaving a session", "0", func(int) { m.press("Enter"); m.sees("A session engine."); m.press("q") }},
		{"a signal", "143", func(pid int) { m.kill(pid, syscall.SIGTERM) }},
	} {
		pid := m.starts("")
		m.sees("Sessions · ")
		m.sees("evil")
		if got := m.tmux("display-message", "-p", "#{alternate_on}"); got != "1\n" {
			t.Errorf("%s: the app is not on the other screen: %q", end.how, got)
		}
		end.do(pid)
		screen := m.shell()
		if after := m.modes(); after != before {
			t.Errorf("after %s the terminal was %q and is %q", end.how, before, after)
		}
		if !strings.Contains(screen, "before") || !strings.Contains(screen, "code="+end.code+".") {
			t.Errorf("after %s the screen is\n%s", end.how, screen)
		}
	}
	m.runs("clear; pith")
	m.sees("evil")
	m.press("Enter")
	m.sees("A session engine.")
	if title := m.tmux("display-message", "-p", "#{pane_title}"); strings.Contains(title, "owned\n") || !strings.Contains(title, "pith - evil") {
		t.Errorf("the title is %q", title)
	}
	m.press("q")
	m.shell()
}

// keybindings.json of pi, sizes of windows, and no colours where none are wanted.
func TestTerminalKeysAndSizes(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	file := small(t, cwd, dir, "first")
	small(t, cwd, dir, "second")
	put(t, filepath.Join(home, ".pi", "agent", "keybindings.json"),
		`{"app.session.toggleSort":"ctrl+y","app.session.tree":["f2"],"tui.select.down":["down","ctrl+g"],"deleteSession":[]}`, 0o600)
	put(t, filepath.Join(home, ".pi", "agent", "settings.json"), `{"treeFilterMode":"user-only","doubleEscapeAction":"fork"}`, 0o600)
	m := newTerminal(t, home, cwd, 100, 30)
	m.runs("clear; NO_COLOR=1 pith")
	m.sees("second")
	m.then("threads", "C-y")
	m.press("C-s") // no longer bound
	m.then("› π first", "C-g")
	m.press("C-d")
	for _, width := range []int{20, 28, 60, 200} {
		m.resize(width, 20)
		m.until(fmt.Sprintf("a list of %d columns", width), func(s string) bool {
			lines := strings.Split(s, "\n")
			return len([]rune(lines[0])) <= width && strings.Contains(s, "› π first")
		})
	}
	m.resize(100, 30)
	m.sees("threads")
	if colours := m.coloured(); strings.Contains(colours, "\x1b[38") || strings.Contains(colours, "\x1b[48") {
		t.Errorf("there are colours:\n%q", colours)
	}
	m.press("Enter")
	m.sees("A session engine.")
	m.then("› tree", "F2")
	m.sees("[Prompts]")
	m.press("Escape")
	m.gone("› tree")
	m.press("i")
	m.sends(escapeTwice)
	m.sees("Fork before a prompt")
	m.press("Escape")
	m.gone("Fork before a prompt")
	m.press("q")
	m.shell()
	m.runs("clear; pith tree -i " + file)
	m.sees("› tree")
	if colours := m.coloured(); !strings.Contains(colours, "\x1b[38;5;") {
		t.Errorf("there are no colours:\n%q", colours)
	}
	m.press("Escape")
	m.sees("A session engine.")
	m.press("q")
	m.shell()
}

// The app's farewell can be pasted into a shell: text from a file is one word
// of it, and a custom directory is named.
func TestTerminalFarewell(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	text := `{"type":"session","version":3,"id":"$(touch owned)","timestamp":"2026-02-03T10:00:00.000Z","cwd":"` + cwd + `"}` + "\n" +
		`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"hello there"}}` + "\n"
	own := filepath.Join(home, "my own")
	put(t, filepath.Join(dir, "s.jsonl"), text, 0o600)
	put(t, filepath.Join(own, "s.jsonl"), text, 0o600)
	m := newTerminal(t, home, cwd, 250, 24)
	for command, want := range map[string]string{
		"pith":                             "resume with: pith -r, or pi --session '$(touch owned)'",
		"pith --session-dir '" + own + "'": "resume with: pith -r --session-dir '" + own + "', or pi --session '" + filepath.Join(own, "s.jsonl") + "'",
	} {
		m.runs("clear; " + command)
		m.sees("Sessions · ")
		m.sees("hello there")
		m.then("▎ hello there", "Enter")
		m.then(want, "q")
		m.shell()
	}
}
