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
	m.sees("› π second")
	m.sends(ctrlBackspace)
	m.sees("Delete “second”?")
	m.press("Escape")
	m.gone("Delete “")
	m.types("firsty")
	m.gone("second")
	m.sends(ctrlBackspace) // edits what is typed, or does nothing: it does not ask
	m.then("› π first", "BSpace")
	if strings.Contains(m.screen(), "Delete “") {
		t.Errorf("ctrl+backspace asks while something is typed:\n%s", m.screen())
	}
	m.then("second", "C-u")
	m.then("› π first", "Down")
	m.then("Delete “first”?", "C-d")
	m.then("ctrl+z undo", "Enter")
	if _, err := os.Stat(first); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	m.then("Restored “first”", "C-z")
	m.then("› π second", "Up")
	m.then("Archived: “second”", "Space", "m", "a") // pitfall 142
	m.gone("π second")
	m.then("Marks are as before", "C-z")
	m.then("› π first", "Down")
	m.then("Pinned: “first”", "Space", "m", "p")
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
	m.sees("› π one")
	m.then("A session engine.", "Enter")
	m.press("i")
	m.sends(escapeTwice) // in an empty input
	m.sees("› tree")
	for _, flag := range []string{"[Labeled]", "[Failed]", "[Edits]", "[Prompts]", "[All]"} {
		m.then(flag, "BTab")
	}
	for _, keys := range [][2]string{{"PPage", "NPage"}, {"[", "End"}, {"Home", "G"}, {"g", "End"}, {"k", "j"}} {
		m.then("› ● what is pith?", keys[0])
		m.then("› ◆ A session engine.", keys[1])
	}
	m.then("enter unfold", "C-c")
	m.gone("› tree")
	m.press("i")
	m.says("/tree", "› tree")
	m.press("Escape")
	m.gone("› tree")
	m.says("/help", "esc close")
	m.press("Escape")
	m.gone("esc close")
	m.says("/fork", "Fork before a prompt")
	m.press("PPage", "NPage", "Up", "Down")
	m.press("Escape")
	m.gone("Fork before a prompt")
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
	age := regexp.MustCompile(`(?m) (now|\d+m) *$`)
	m.until("four rows that end with their age", func(screen string) bool {
		return strings.Contains(screen, "Sessions · all projects") && len(age.FindAllString(screen, -1)) == 4
	})
	m.press("Escape")
	m.shell()
}
