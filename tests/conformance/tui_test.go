//go:build unix

package conformance_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// project makes a home with a project in it and returns both with the directory
// of the project's sessions.
func project(t *testing.T) (home, cwd, dir string) {
	t.Helper()
	home = t.TempDir()
	cwd = filepath.Join(home, "proj")
	dir = filepath.Join(home, ".pi", "agent", "sessions", format.ProjectDir(cwd))
	for _, d := range []string{cwd, dir} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return home, cwd, dir
}

// The app in a real terminal, over sessions that the real pi wrote: every screen,
// the keys of pi, and what they leave in the files, which pi reads again.
func TestTerminalApp(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		home, cwd, dir := project(t)
		file := r.dialogue(t, cwd, dir, "Parser bug", "why do tests fail on Tuesdays", "Time zones.", "mend it", "Done: **UTC** now.")
		r.branch(t, file, idOf(t, file, "Time zones."), "ask the team first")
		other := r.dialogue(t, cwd, dir, "", "set up continuous integration", "It runs.")
		m := newTerminal(t, home, cwd, 100, 36)

		for _, part := range []struct {
			name string
			run  func(t *testing.T)
		}{
			{"picker", func(t *testing.T) { terminalPicker(t, m, other) }},
			{"tree", func(t *testing.T) { terminalTree(t, m, r, file) }},
			{"summaries", func(t *testing.T) { terminalSummaries(t, m, r, file) }},
			{"commands", func(t *testing.T) { terminalCommands(t, m, r, file, dir) }},
			{"from the list", func(t *testing.T) { terminalFromTheList(t, m, r, dir) }},
		} {
			if !t.Run(part.name, part.run) {
				return // the terminal shows something else than the next part expects
			}
		}
	})
}

// idOf is the entry whose line holds a text.
func idOf(t *testing.T, file, text string) string {
	t.Helper()
	s := openPith(t, file, pith.Options{ReadOnly: true})
	for line, err := range s.View().Reader().Lines() {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(line.Raw), text) {
			return line.ID
		}
	}
	t.Fatalf("%s: no entry says %q", file, text)
	return ""
}

// terminalPicker presses every key of the list of sessions, and leaves the app.
func terminalPicker(t *testing.T, m *terminal, other string) {
	m.t = t
	m.runs("clear; pith; echo code=$?")
	m.sees("Resume Session (Current Folder)")
	m.sees("Parser bug")
	m.sees("set up continuous integration")
	m.then("Sort: Recent", "C-s")
	m.then("Sort: Relevance", "C-s")
	m.then("Sort: Threaded", "C-s")
	m.then("Name: Named", "C-n")
	m.gone("set up continuous integration")
	m.then("Name: All", "C-n")
	m.then("Forks: Hidden", "C-t")
	m.press("C-t")
	m.gone("Forks: Hidden")
	m.press("C-p")
	m.press("C-p")
	m.then("Resume Session (All)", "Tab")
	m.sees("~/proj")
	m.then("Resume Session (Current Folder)", "Tab")
	terminalSelection(m)
	terminalSearch(m)
	m.types("integr")
	m.gone("Parser bug")
	m.then("Rename Session", "C-r")
	m.then("integr", "Escape")
	m.then("Rename Session", "C-r")
	m.says("Green builds", "renamed")
	m.sees("Green builds")
	if s := openPith(t, other, pith.Options{ReadOnly: true}); s.Name() != "Green builds" {
		t.Errorf("the session is called %q", s.Name())
	}
	m.then("Delete session?", "C-d")
	m.press("n")
	m.gone("Delete session?")
	m.then("Delete session?", "C-d")
	m.then("brings it back", "y")
	if _, err := os.Stat(other); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	m.then("restored", "C-z")
	if _, err := os.Stat(other); err != nil {
		t.Errorf("the file did not come back: %v", err)
	}
	m.then("Parser bug", "Escape") // the search first
	m.press("Escape")
	if s := m.shell(); !strings.Contains(s, "code=0") { // pitfall 148
		t.Errorf("leaving the list did not end with 0:\n%s", s)
	}
}

// terminalSelection moves by keys and by mouse.
func terminalSelection(m *terminal) {
	m.t.Helper()
	first := m.sees("› ")
	for _, keys := range [][2]string{{"Down", "Up"}, {"NPage", "PPage"}} {
		m.press(keys[0])
		m.until("another row selected", func(s string) bool { return s != first && strings.Contains(s, "› ") })
		m.press(keys[1])
		m.until("the first row selected again", func(s string) bool { return s == first })
	}
	m.wheel(wheelDown)
	m.until("another row selected by the wheel", func(s string) bool { return s != first })
	m.wheel(wheelUp)
	m.until("the first row selected by the wheel", func(s string) bool { return s == first })
	m.click("set up continuous")
	m.sees("› set up continuous")
	m.then("any key to go back", "?")
	m.then("› set up continuous", "Escape")
	m.then("› Parser bug", "Up")
}

// terminalSearch searches in every way (pitfall 144).
func terminalSearch(m *terminal) {
	m.t.Helper()
	for typed, want := range map[string]string{
		"prsr": "Parser bug", `"parser bug"`: "Parser bug", "re:^pars.r": "Parser bug", "tuesdays": "Parser bug", "utc": "Parser bug", "uesday": "Parser bug",
	} {
		m.types(typed)
		m.sees("> " + typed)
		m.sees(want)
		m.gone("set up continuous integration")
		m.then("set up continuous integration", "C-u")
	}
	m.types("re:(")
	m.sees("invalid search")
	m.then("set up continuous integration", "C-u")
}

// terminalTree presses every key of the tree, labels an entry and goes there.
func terminalTree(t *testing.T, m *terminal, r rig, file string) {
	m.t = t
	m.runs("clear; pith tree -i 'Parser bug'")
	m.sees("Session Tree")
	m.sees("• user: why do tests fail on Tuesdays")
	m.sees("ask the team first")
	terminalFilters(m)
	m.types("/zones")
	m.sees("(1/1)")
	m.then("(", "BSpace")
	m.then("mend it", "Escape") // ends the search, the entry stays selected
	m.sees("› • assistant: Time zones.")
	terminalFolds(m)
	m.types("L")
	m.sees("Label (empty to remove)")
	m.says("cause", "[cause]")
	m.types("T")
	m.sees("[+label time]")
	m.types("T")
	m.gone("[+label time]")
	m.then("copied", "C-x")
	if got := m.tmux("show-buffer"); got != "Time zones." {
		t.Errorf("the clipboard holds %q", got)
	}
	m.then("Summarize branch?", "Enter")
	m.then("Session Tree", "Escape") // back, on the same entry
	m.then("Summarize branch?", "Enter")
	m.then("moved to the selected entry", "Enter")
	m.gone("mend it")
	m.types("q")
	m.shell()
	s := openPith(t, file, pith.Options{ReadOnly: true})
	path, err := s.View().PathIDs(s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(path, func(id string) bool { return s.View().Label(id) == "cause" }) {
		t.Errorf("no entry of the path is labelled: %q", path)
	}
	r.compare(t, file, atLeaf) // pi is at pith's leaf
}

// terminalFilters presses the keys of the five filters.
func terminalFilters(m *terminal) {
	m.t.Helper()
	for _, f := range [][2]string{{"C-u", "[user]"}, {"C-t", "[no-tools]"}, {"C-l", "[labeled]"}, {"C-a", "[all]"}} {
		m.then(f[1], f[0])
		m.press(f[0]) // the same key again: the default
		m.gone(f[1])
	}
	for _, flag := range []string{"[no-tools]", "[user]", "[labeled]", "[all]"} {
		m.then(flag, "C-o")
	}
	m.press("C-d")
	m.gone("[all]")
}

// terminalFolds folds and unfolds the tree and walks to its ends. It begins and
// ends on the answer at which the tree branches.
func terminalFolds(m *terminal) {
	m.t.Helper()
	here := m.screen()
	m.press("C-Left") // up to the root
	m.sees("› • user: why do tests")
	m.press("C-Left") // which is folded
	m.gone("Time zones.")
	m.then("Time zones.", "C-Right")
	m.press("Up") // the ends meet
	m.gone("› • user: why do tests")
	m.then("› • user: why do tests", "Down")
	m.press("Right")
	m.gone("› • user: why do tests")
	m.then("› • user: why do tests", "Left")
	m.press("j")
	m.until("the answer selected", func(s string) bool { return s == here })
}
