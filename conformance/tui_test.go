//go:build unix

package conformance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// dialogue has pi write a session: what user and assistant say in turn.
func (r rig) dialogue(t *testing.T, cwd, dir, name string, texts ...string) string {
	t.Helper()
	ctx := t.Context()
	s, err := r.Create(ctx, cwd, dir)
	if err != nil {
		t.Fatal(err)
	}
	say := func(i int, text string) {
		message := fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":%q}],"timestamp":%d}`, text, 1_765_241_610_000+int64(i)*1000)
		if i%2 == 1 {
			message = fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%q}],"api":"a","provider":"p","model":"m","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.01}},"stopReason":"stop","timestamp":%d}`, text, 1_765_241_610_000+int64(i)*1000)
		}
		if _, err := s.Append(ctx, "appendMessage", json.RawMessage(message)); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range texts {
		say(i, text)
	}
	if name != "" {
		if _, err := s.Append(ctx, "appendSessionInfo", json.RawMessage(fmt.Sprintf("%q", name))); err != nil {
			t.Fatal(err)
		}
	}
	file, err := s.File(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// branch has pi go on from an earlier entry, which begins a branch.
func (r rig) branch(t *testing.T, file, from string, texts ...string) {
	t.Helper()
	ctx := t.Context()
	s, err := r.Open(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Call(ctx, nil, "branch", from); err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		message := fmt.Sprintf(`{"role":"user","content":%q,"timestamp":%d}`, text, 1_765_242_000_000+int64(i)*1000)
		if _, err := s.Append(ctx, "appendMessage", json.RawMessage(message)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Release(ctx); err != nil {
		t.Fatal(err)
	}
}

// project makes a home with a project in it and returns both with the folder of
// the project's sessions.
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
	for line, err := range s.Lines() {
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
	m.then("Sort: Fuzzy", "C-s")
	m.then("Sort: Threaded", "C-s")
	m.then("Name: Named", "C-n")
	m.gone("set up continuous integration")
	m.then("Name: All", "C-n")
	m.then("Forks: Hidden", "C-t")
	m.press("C-t")
	m.gone("Forks: Hidden")
	m.then("path (on)", "C-p")
	m.then("path (off)", "C-p")
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
	m.press("Escape")
	if s := m.shell(); !strings.Contains(s, "code=0") { // pitfall 148
		t.Errorf("leaving the list did not end with 0:\n%s", s)
	}
}

// terminalSelection moves by keys and by mouse.
func terminalSelection(m *terminal) {
	m.t.Helper()
	first := m.sees("› ")
	for _, keys := range [][2]string{{"Down", "Up"}, {"j", "k"}, {"NPage", "PPage"}} {
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
	m.then("any key goes back", "?")
	m.then("› set up continuous", "Escape")
	m.then("› Parser bug", "Up")
}

// terminalSearch searches in every way (pitfall 144).
func terminalSearch(m *terminal) {
	m.t.Helper()
	for typed, want := range map[string]string{
		"prsr": "Parser bug", `"parser bug"`: "Parser bug", "re:^pars.r": "Parser bug", "tuesdays": "Parser bug", "utc": "Parser bug",
	} {
		m.types("/" + typed)
		m.sees("/ " + typed)
		m.sees(want)
		m.gone("set up continuous integration")
		m.then("set up continuous integration", "C-u")
		m.press("Escape") // typing ends, the list stays
		m.gone("\n/")
	}
	m.types("re:(")
	m.sees("nothing can match")
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
	m.types("zones")
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
	m.then("navigated to the selected point", "Enter")
	m.gone("mend it")
	m.types("q")
	m.shell()
	s := openPith(t, file, pith.Options{ReadOnly: true})
	path, err := s.PathIDs(s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(path, func(id string) bool { return s.Label(id) == "cause" }) {
		t.Errorf("no entry of the path is labelled: %q", path)
	}
	r.compare(t, file, atLeaf) // pi stands where pith stood
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

// terminalSummaries leaves branches with a summary: by default, with
// instructions, and not after all.
func terminalSummaries(t *testing.T, m *terminal, r rig, file string) {
	m.t = t
	m.runs("clear; pith tree -i 'Parser bug'")
	m.sees("Session Tree")
	m.types("mend")
	m.sees("(1/1)")
	m.then("Summarize branch?", "Enter")
	m.then("summary of a branch", "Down", "Enter") // to the editor, before the message; extract: there is no model
	m.sees("mend it")
	first := leafSummary(t, file)
	m.press("C-c")
	m.then("reading", "Escape")
	m.types("t")
	m.sees("Session Tree")
	m.types("team")
	m.sees("(1/1)")
	m.then("Summarize branch?", "Enter")
	m.then("Custom summarization instructions", "Down", "Down", "Enter")
	m.then("Summarize branch?", "Escape")
	m.then("Custom summarization instructions", "Enter")
	m.says("what the parser needs", "navigated to the selected point")
	second := leafSummary(t, file)
	if first.ID == second.ID || second.FromID != first.ID {
		t.Errorf("the second summary %+v is not of the branch of the first, %s", second, first.ID)
	}
	m.press("C-c")
	m.then("reading", "Escape")
	m.types("q")
	m.shell()
	r.compare(t, file, atLeaf)
}

// leafSummary is the summary at which a session stands.
func leafSummary(t *testing.T, file string) *format.BranchSummary {
	t.Helper()
	leaf, err := openPith(t, file, pith.Options{ReadOnly: true}).Leaf()
	if err != nil {
		t.Fatal(err)
	}
	sum, ok := leaf.(*format.BranchSummary)
	if !ok || strings.TrimSpace(sum.Summary) == "" {
		t.Fatalf("the session stands at %#v, want a summary", leaf)
	}
	return sum
}

// terminalCommands gives every command that changes a file.
func terminalCommands(t *testing.T, m *terminal, r rig, file, dir string) {
	m.t = t
	before := sessionFiles(t, dir)
	m.runs("clear; pith")
	m.sees("Parser bug")
	m.types("Parser")
	m.gone("Green builds")
	m.press("Enter")
	m.sees("why do tests fail on Tuesdays")
	m.press("i")
	m.says("/name A better name", "named: A better name")
	m.says("/label here", "label: here")
	m.says("/session", "Messages:")
	m.press("Escape")
	m.gone("Messages:")
	m.says("/compact", "nothing to compact")
	m.says("/thinking high", "thinking: high")
	m.types("/res")
	m.press("Tab")
	m.then("A better name", "Enter")
	m.sees("Resume Session")
	m.types("better")
	m.gone("Green builds")
	m.then("this session is open", "C-d") // pitfall 147
	m.press("Escape")
	m.gone("Resume Session")
	m.says("/fork", "Fork from Message")
	m.then("forked to a new session", "Up", "Enter")
	m.press("C-c")
	m.says("/clone", "cloned to a new session")
	m.says("/export kept.jsonl", "exported to ~/proj/kept.jsonl")
	m.says("/delete", "Move this session to the trash?")
	m.then("Resume Session", "Down", "Enter")
	m.press("Escape")
	m.shell()
	r.compare(t, filepath.Join(m.cwd, "kept.jsonl"), atLeaf)
	r.compare(t, file, atLeaf)
	made := 0
	for _, f := range sessionFiles(t, dir) {
		if !slices.Contains(before, f) {
			made++
			r.compare(t, f, atLeaf)
			if got := openPith(t, f, pith.Options{ReadOnly: true}).Header().ParentSession; got != file {
				t.Errorf("%s was made from %q, want %q", f, got, file)
			}
		}
	}
	if made != 1 { // a fork and a clone of it, which was deleted
		t.Errorf("%d sessions were made and kept, want 1", made)
	}
}

// terminalFromTheList clones, exports, forks and begins sessions from the list.
func terminalFromTheList(t *testing.T, m *terminal, r rig, dir string) {
	m.t = t
	before := sessionFiles(t, dir)
	m.runs("clear; rm -f *.jsonl; pith")
	m.sees("Green builds")
	m.types("green")
	m.gone("better")
	m.then("exported to ~/proj/session-", "M-e")
	m.then("cloned to a new session", "M-c")
	m.sees("▎ set up continuous integration")
	m.press("r")
	m.sees("Resume Session")
	m.types("green")
	m.gone("better")
	m.then("Fork from Message", "M-f")
	m.then("reading", "Escape")
	m.press("r")
	m.sees("Resume Session")
	m.then("nothing was said yet", "M-n")
	m.press("C-c")
	m.shell()
	exported, err := filepath.Glob(filepath.Join(m.cwd, "*.jsonl"))
	if err != nil || len(exported) != 1 {
		t.Fatalf("exported files: %q, %v", exported, err)
	}
	r.compare(t, exported[0], atLeaf)
	after := sessionFiles(t, dir)
	if len(after) != len(before)+1 {
		t.Errorf("%d sessions, want one more than %d: the clone", len(after), len(before))
	}
	for _, f := range after {
		if !slices.Contains(before, f) {
			r.compare(t, f, atLeaf)
		}
	}
}

func sessionFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
