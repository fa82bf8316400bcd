//go:build unix

package conformance_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// Keys that only terminals with an extended keyboard can distinguish, as they
// send them.
var (
	ctrlBackspace = []string{"1b", "5b", "31", "32", "37", "3b", "35", "75"}             // CSI 127;5u
	shiftCtrlO    = []string{"1b", "5b", "31", "31", "31", "3b", "36", "75"}             // CSI 111;6u
	escapeTwice   = []string{"1b", "5b", "32", "37", "75", "1b", "5b", "32", "37", "75"} // CSI 27u, twice in a row
)

// sends gives bytes, in hexadecimal, to the program as a terminal would.
func (m *terminal) sends(bytes []string) {
	m.t.Helper()
	m.tmux(append([]string{"send-keys", "-H"}, bytes...)...)
}

// The keys of the list of sessions that have alternatives.
func TestTerminalListKeys(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	first, second := small(t, cwd, dir, "first"), small(t, cwd, dir, "second")
	m := newTerminal(t, home, cwd, 100, 30)
	m.tmux("set-option", "-s", "extended-keys", "always")
	m.runs("clear; pith; echo code=$?.")
	m.sees("› second")
	m.sends(ctrlBackspace)
	m.sees("Delete session?")
	m.press("Escape")
	m.gone("Delete session?")
	m.types("firsty")
	m.gone("second")
	m.sends(ctrlBackspace) // edits what is typed, or does nothing: it does not ask
	m.then("› first", "BSpace")
	if strings.Contains(m.screen(), "Delete session?") {
		t.Errorf("ctrl+backspace asks while something is typed:\n%s", m.screen())
	}
	m.then("second", "C-u")
	m.then("› first", "Down")
	m.then("Delete session?", "C-d")
	m.then("brings it back", "Enter")
	if _, err := os.Stat(first); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	m.then("restored", "C-z")
	m.then("› second", "Up")
	m.then("archived; alt+h shows", "M-a") // pitfall 142
	m.gone("second")
	m.sees("1 archived")
	m.then("Archived: Shown", "M-h")
	m.then("unarchived", "M-a")
	m.then("› first", "Down")
	m.then("› * first", "M-s")
	m.press("C-c")
	if s := m.shell(); !strings.Contains(s, "code=0.") {
		t.Errorf("ctrl+c did not leave the list with 0:\n%s", s)
	}
	m.runs("clear; pith ls")
	m.until("the pinned session first", func(s string) bool {
		pinned := strings.Index(s, "* first")
		return pinned >= 0 && pinned < strings.Index(s, "second")
	})
	for _, file := range []string{first, second} { // marks are not in sessions
		if s := readFile(t, file); strings.Contains(s, "rchived") || strings.Contains(s, "inned") {
			t.Errorf("%s was marked:\n%s", file, s)
		}
	}
}

// The keys of the tree that have alternatives, and both ways to it.
func TestTerminalTreeKeys(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	small(t, cwd, dir, "one")
	m := newTerminal(t, home, cwd, 100, 30)
	m.tmux("set-option", "-s", "extended-keys", "always")
	m.runs("clear; pith")
	m.sees("› one")
	m.then("A session engine.", "Enter")
	m.sends(escapeTwice)
	m.sees("Session Tree")
	for _, flag := range []string{"[all]", "[labeled]", "[user]", "[no-tools]"} {
		m.sends(shiftCtrlO)
		m.sees(flag)
	}
	m.sends(shiftCtrlO)
	m.gone("[no-tools]")
	for _, keys := range [][2]string{{"C-b", "C-f"}, {"PPage", "NPage"}, {"M-Left", "M-Right"}, {"Left", "Right"}, {"k", "j"}} {
		m.then("› • user: what is pith?", keys[0])
		m.then("› • assistant: A session engine.", keys[1])
	}
	m.then("A session engine.", "C-c")
	m.gone("Session Tree")
	m.press("i")
	m.says("/tree", "Session Tree")
	m.press("Escape")
	m.gone("Session Tree")
	m.says("/help", "any other key to go back")
	m.press("Escape")
	m.gone("to go back")
	m.says("/fork", "Message 1 of 1")
	m.press("PPage", "NPage", "Up", "Down")
	m.press("Escape")
	m.gone("Message 1 of 1")
	m.says("/new", "no messages yet")
	m.press("C-c")
	m.shell()
	if files := sessionFiles(t, dir); len(files) != 1 {
		t.Errorf("a session in which nothing was said has a file: %q", files)
	}
}

// A name as long as a book, wide letters, and a window of few columns: rows stay
// in their columns.
func TestTerminalLongNames(t *testing.T) {
	t.Parallel()
	home, cwd, dir := project(t)
	small(t, cwd, dir, strings.Repeat("設定 👩‍💻 ", 200))
	small(t, cwd, dir, "🏳️‍🌈🏳️‍🌈🏳️‍🌈 flags")
	small(t, cwd, dir, "❤️1️⃣👍🏽 more")
	s, err := pith.Create(pith.Options{Cwd: filepath.Join(home, strings.Repeat("deep/", 20)), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), format.NewUser(strings.Repeat("word ", 500), time.Now())); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	m := newTerminal(t, home, cwd, 60, 20)
	m.runs("clear; pith")
	m.sees("設定")
	m.press("Tab")
	age := regexp.MustCompile(`(?m) [12] +(now|\d+m) *$`)
	m.until("four rows that end with their age", func(screen string) bool {
		return strings.Contains(screen, "Resume Session (All)") && len(age.FindAllString(screen, -1)) == 4
	})
	m.press("Escape")
	m.shell()
}
