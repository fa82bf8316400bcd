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
	m.sees("Sessions · proj")
	m.sees("Parser bug")
	m.sees("set up continuous integration")
	for _, order := range []string{"threads", "most expensive first", "largest first", "newest first"} {
		m.then(order, "C-s")
	}
	m.then("> name:", "C-n")
	m.gone("set up continuous integration")
	m.press("C-n")
	m.sees("set up continuous integration")
	m.then("Sessions · all projects", "Tab")
	m.then("Sessions · proj", "Tab")
	terminalSelection(m)
	terminalSearch(m)
	m.types("integr")
	m.gone("Parser bug")
	m.then("─ Rename", "C-r")
	m.then("integr", "Escape")
	m.gone("─ Rename")
	m.then("─ Rename", "C-r")
	m.says("Green builds", "Renamed to “Green builds”")
	m.sees("Green builds")
	if s := openPith(t, other, pith.Options{ReadOnly: true}); s.Name() != "Green builds" {
		t.Errorf("the session is called %q", s.Name())
	}
	m.then("Delete “Green builds”?", "C-d")
	m.press("n")
	m.gone("Delete “")
	m.then("Delete “Green builds”?", "C-d")
	m.then("ctrl+z undo", "y")
	if _, err := os.Stat(other); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	m.then("Restored “Green builds”", "C-z")
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
	m.then("1 of 2", "Up") // the list has the focus
	for _, keys := range [][2]string{{"Down", "Up"}, {"NPage", "PPage"}, {"j", "k"}, {"G", "g"}} {
		m.then("› π set up", keys[0])
		m.then("› π Parser bug", keys[1])
	}
	m.wheel(wheelDown)
	m.sees("› π set up")
	m.wheel(wheelUp)
	m.sees("› π Parser bug")
	m.click("set up continuous")
	m.sees("› π set up continuous")
	m.then("esc close", "?")
	m.then("› π set up continuous", "Escape")
	m.then("› π Parser bug", "Up")
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
	m.sees("Invalid search")
	m.then("set up continuous integration", "C-u")
}

// terminalTree presses the keys of the tree, labels an entry and goes there.
func terminalTree(t *testing.T, m *terminal, r rig, file string) {
	m.t = t
	m.runs("clear; pith tree -i 'Parser bug'")
	m.sees("› tree")
	m.sees("● why do tests fail on Tuesdays")
	m.sees("▸ mend it")
	for _, filter := range []string{"[Prompts]", "[Edits]", "[Failed]", "[Labeled]", "[All]"} {
		m.then(filter, "Tab")
		m.sees("▸ mend it") // branch points are in every filter
	}
	m.types("/")
	m.says("zones", "› ├ Time zones.")
	m.press("Escape")
	m.gone("/zones")
	m.then("› │ ╰ ▸ mend it", "b")
	m.then("› │ ╰ ▾ mend it", "Right")
	m.then("› │ ╰ ▸ mend it", "Left")
	m.then("› ├ Time zones.", "Up")
	m.then("─ Label", "L")
	m.says("cause", "[cause]")
	m.then("Copied", "C-x")
	if got := m.tmux("show-buffer"); got != "Time zones." {
		t.Errorf("the clipboard holds %q", got)
	}
	m.then("─ Go back", "Enter")
	m.press("Escape") // back, on the same entry
	m.gone("─ Go back")
	m.then("─ Go back", "Enter")
	m.then("Went back", "Enter")
	m.sees("2 branches continue here")
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
