//go:build unix

package conformance_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/tests/tools"
)

// A terminal is a real one: tmux, on a server of its own, with pith in it.
type terminal struct {
	t      *testing.T
	socket string
	home   string
	cwd    string
	path   string // the new shell has the PATH of the process that asks tmux for it
}

// newTerminal starts a shell in a terminal of the given size, in an empty home.
func newTerminal(t *testing.T, home, cwd string, width, height int) *terminal {
	t.Helper()
	tools.Require(t, "tmux")
	dir, err := builtCommand()
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, socket: filepath.Join(t.TempDir(), "tmux"), home: home, cwd: cwd, path: dir + ":" + os.Getenv("PATH")}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		_ = exec.CommandContext(ctx, "tmux", "-S", term.socket, "kill-server").Run() // it may have ended
	})
	term.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "-c", cwd,
		"-e", "HOME="+home, "-e", "XDG_STATE_HOME=", "-e", "XDG_CACHE_HOME=", "-e", "XDG_DATA_HOME=", "-e", "TERM=tmux-256color", "sh")
	term.tmux("set-option", "-g", "escape-time", "0")    // Esc is recognized without delay
	term.tmux("set-option", "-g", "set-clipboard", "on") // what is copied becomes tmux's buffer
	term.runs("PS1='shell>'; clear")
	term.shell()
	return term
}

func (m *terminal) tmux(args ...string) string {
	m.t.Helper()
	ctx, stop := context.WithTimeoutCause(m.t.Context(), patience, fmt.Errorf("no answer in %v", patience))
	defer stop()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", m.socket}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+m.home, "PATH="+m.path, "LC_ALL=C.UTF-8", "TMUX=")
	cmd.WaitDelay = time.Second // the server may have the pipe
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v: %s", args, cmp.Or(context.Cause(ctx), err), out)
	}
	return string(out)
}

// runs types a command and runs it.
func (m *terminal) runs(command string) {
	m.t.Helper()
	m.tmux("send-keys", "-l", command)
	m.tmux("send-keys", "Enter")
}

// press presses keys, by tmux's names. A key right after Escape would be that
// key with Alt, so Escape must be the last of them, and the caller waits for
// its effect.
func (m *terminal) press(keys ...string) {
	m.t.Helper()
	for _, key := range keys {
		m.tmux("send-keys", key)
	}
}

// types writes text.
func (m *terminal) types(text string) {
	m.t.Helper()
	m.tmux("send-keys", "-l", text)
}

// screen is what the terminal shows.
func (m *terminal) screen() string { return m.tmux("capture-pane", "-p") }

// patience is how long a test waits for what must appear, on a busy machine.
const patience = 2 * time.Minute

// until waits for a screen of which something holds.
func (m *terminal) until(what string, holds func(screen string) bool) string {
	m.t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(40 * time.Millisecond)
	defer tick.Stop()
	for {
		screen := m.screen()
		if holds(screen) {
			return screen
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("the terminal never showed %s; it shows:\n%s", what, screen)
		}
		<-tick.C
	}
}

// sees waits until the terminal shows a text.
func (m *terminal) sees(text string) string {
	m.t.Helper()
	return m.until(fmt.Sprintf("%q", text), func(s string) bool { return strings.Contains(s, text) })
}

// shell waits until the shell wants a command: the app has ended.
func (m *terminal) shell() string {
	m.t.Helper()
	return m.until("the shell", func(s string) bool {
		lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
		return strings.TrimSpace(lines[len(lines)-1]) == "shell>"
	})
}

// then presses keys and waits until the terminal shows a text.
func (m *terminal) then(text string, keys ...string) string {
	m.t.Helper()
	m.press(keys...)
	return m.sees(text)
}

// says types text, presses Enter and waits until the terminal shows a text.
func (m *terminal) says(typed, text string) string {
	m.t.Helper()
	m.types(typed)
	return m.then(text, "Enter")
}

// click presses and releases the left button on the row that shows a text.
func (m *terminal) click(text string) {
	m.t.Helper()
	for y, line := range strings.Split(m.sees(text), "\n") {
		if strings.Contains(line, text) {
			m.types(fmt.Sprintf("\x1b[<0;8;%dM\x1b[<0;8;%dm", y+1, y+1))
			return
		}
	}
}

// wheel turns the wheel: up or down.
func (m *terminal) wheel(button int) {
	m.t.Helper()
	m.types(fmt.Sprintf("\x1b[<%d;8;12M", button))
}

// The buttons of the wheel.
const (
	wheelUp   = 64
	wheelDown = 65
)

// resize gives the terminal another size.
func (m *terminal) resize(width, height int) {
	m.t.Helper()
	m.tmux("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
}

// coloured is what the terminal shows, with its colours.
func (m *terminal) coloured() string { return m.tmux("capture-pane", "-pe") }

// gone waits until the terminal does not show a text.
func (m *terminal) gone(text string) string {
	m.t.Helper()
	return m.until(fmt.Sprintf("a screen without %q", text), func(s string) bool { return !strings.Contains(s, text) })
}
