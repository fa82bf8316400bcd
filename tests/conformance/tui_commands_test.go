//go:build unix

package conformance_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// terminalSummaries leaves branches with a summary: by default, with
// instructions, and not after all.
func terminalSummaries(t *testing.T, m *terminal, r rig, file string) {
	m.t = t
	m.runs("clear; pith tree -i 'Parser bug'")
	m.sees("Session Tree")
	m.types("/mend")
	m.sees("(1/1)")
	m.then("Summarize branch?", "Enter")
	m.then("branch summary", "Down", "Enter") // to the editor, before the message; without a model, since there is none
	m.sees("mend it")
	first := leafSummary(t, file)
	m.press("C-c")
	m.then("reading", "Escape")
	m.types("t")
	m.sees("Session Tree")
	m.types("/team")
	m.sees("(1/1)")
	m.then("Summarize branch?", "Enter")
	m.then("Custom summarization instructions", "Down", "Down", "Enter")
	m.then("Summarize branch?", "Escape")
	m.then("Custom summarization instructions", "Enter")
	m.says("what the parser needs", "moved to the selected entry")
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

// leafSummary returns the summary at the leaf of a session.
func leafSummary(t *testing.T, file string) *format.BranchSummary {
	t.Helper()
	v := openPith(t, file, pith.Options{ReadOnly: true}).View()
	leaf, err := v.Entry(v.Leaf())
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
	m.then("cannot delete the open session", "C-d") // pitfall 147
	m.then("Green builds", "Escape")                // the search first
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
	m.then("Export to", "M-e")
	m.press("C-u")
	m.types("listed.jsonl")
	m.then("exported to ~/proj/listed.jsonl", "Enter")
	m.then("cloned to a new session", "M-c")
	m.sees("▎ set up continuous integration")
	m.press("r")
	m.sees("Resume Session")
	m.types("green")
	m.gone("better")
	m.then("Fork from Message", "M-f")
	m.then("Resume Session", "Escape") // back to the list
	m.then("no messages yet", "M-n")
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
