//go:build unix

package conformance_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// modes are how the shell finds its terminal: how lines are read, which screen is
// shown, the cursor, the mouse.
func (m *terminal) modes() string {
	m.t.Helper()
	file := filepath.Join(m.home, "modes")
	m.runs("clear; stty -g > ~/modes; echo known.")
	m.sees("known.\n")
	m.shell()
	return readFile(m.t, file) + m.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_button_flag} #{mouse_sgr_flag}")
}

// starts runs pith and returns its process when there is one.
func (m *terminal) starts(args string) int {
	m.t.Helper()
	file := filepath.Join(m.home, "pid")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		m.t.Fatal(err)
	}
	m.runs("clear; echo before; sh -c 'echo $$ > ~/pid.new; mv ~/pid.new ~/pid; exec pith " + args + "'; echo code=$?.")
	pid := 0
	m.until("a process", func(string) bool {
		data, _ := os.ReadFile(file) // not there yet
		pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		return pid != 0
	})
	return pid
}

func (m *terminal) kill(pid int, s syscall.Signal) {
	m.t.Helper()
	if err := syscall.Kill(pid, s); err != nil && err != syscall.ESRCH {
		m.t.Fatal(err)
	}
}

// A signal may come at any moment, also before the first frame, and again before
// the first one was obeyed: the terminal is as it was (pitfall 148).
func TestTerminalSignals(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	small(t, cwd, dir, "one")
	m := newTerminal(t, home, cwd, 80, 24)
	before := m.modes()
	for i := range 15 {
		var sent []syscall.Signal
		pid := m.starts("")
		wait := time.Duration(rand.IntN(200)) * time.Millisecond
		<-time.After(wait)
		for range 1 + i%2 {
			s := []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP}[i/2%2]
			m.kill(pid, s)
			sent = append(sent, s)
		}
		screen := m.shell()
		if after := m.modes(); after != before {
			t.Fatalf("%v after %v: the terminal was %q and is %q", sent, wait, before, after)
		}
		if want := fmt.Sprintf("code=%d.", 128+int(sent[0])); !strings.Contains(screen, "before") || !strings.Contains(screen, want) {
			t.Errorf("%v after %v: the screen shows no %s:\n%s", sent, wait, want, screen)
		}
	}
}

// While another program has the terminal, Ctrl+C is that program's. A signal ends
// both, and a program that leaves the terminal in disorder does not leave it so
// for the shell.
func TestTerminalIsLent(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	small(t, cwd, dir, "one")
	put(t, filepath.Join(home, "bin", "pi"), `#!/bin/sh
trap 'echo interrupted' INT
stty -echo
echo pi runs
while ! read answer; do :; done
stty raw
`, 0o755)
	m := newTerminal(t, home, cwd, 80, 24)
	before := m.modes()
	m.runs("PATH=$HOME/bin:$PATH")
	lend := func() int {
		pid := m.starts("")
		m.sees("› π one")
		m.press("Enter")
		m.sees("A session engine.")
		m.then("pi runs", "o")
		return pid
	}
	lend()
	m.then("interrupted", "C-c")
	m.then("A session engine.", "Enter")
	m.press("q")
	if screen := m.shell(); !strings.Contains(screen, "code=0.") {
		t.Errorf("the app did not go on after Ctrl+C in the other program:\n%s", screen)
	}
	if after := m.modes(); after != before {
		t.Errorf("the terminal was %q and is %q", before, after)
	}
	m.kill(lend(), syscall.SIGTERM)
	if screen := m.shell(); !strings.Contains(screen, "code=143.") {
		t.Errorf("the app was ended otherwise:\n%s", screen)
	}
	if after := m.modes(); after != before {
		t.Errorf("after a signal the terminal was %q and is %q", before, after)
	}
}
