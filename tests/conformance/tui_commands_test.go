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
	m.sees("› tree")
	m.then("› │ ╰ ▸ mend it", "b")
	m.then("─ Go back", "Enter")
	m.then("Done: UTC now.", "Enter") // nothing is left there: no summary is offered
	m.sees("Went back")
	m.then("› tree", "t")
	m.then("› ● mend it", "[")
	m.then("─ Go back", "Enter")
	m.then("summary of a branch", "s") // without a model, since there is none
	m.sees("> mend it")                // the message is in the input
	first := leafSummary(t, file)
	m.then("Cleared the text", "C-c")
	m.press("Escape")
	m.sees("enter unfold")
	m.then("› tree", "t")
	m.sees("▸ ask the team first")
	m.then("› │ ╰ ▸ mend it", "g", "b")
	m.then("› │ ╰ ▸ ask the team first", "b")
	m.then("─ Go back", "Enter")
	m.then("Instructions for the summary", "i")
	m.says("what the parser needs", "Went back")
	second := leafSummary(t, file)
	if first.ID == second.ID || second.FromID != first.ID {
		t.Errorf("the second summary %+v is not of the branch of the first, %s", second, first.ID)
	}
	m.then("Cleared the text", "C-c")
	m.press("Escape")
	m.sees("enter unfold")
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
	m.says("/fork", "Fork before a prompt")
	m.then("forked to a new session", "Up", "Enter")
	m.then("Cleared the text", "C-c")
	m.says("/clone", "cloned to a new session")
	m.says("/export kept.jsonl", "exported to ~/proj/kept.jsonl")
	m.says("/delete", "Move this session to the trash?")
	m.then("Sessions · ", "y")
	m.types("/res") // is a search here
	m.sees("> res")
	m.press("Escape")
	m.gone("> res")
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
	m.then("Export to", "Up", "Space", "x")
	m.press("C-u")
	m.types("listed.jsonl")
	m.then("exported to ~/proj/listed.jsonl", "Enter")
	m.then("cloned to a new session", "Space", "c")
	m.sees("▎ set up continuous integration")
	m.press("Escape")
	m.sees("Sessions · ")
	m.types("green")
	m.gone("better")
	m.then("Fork before a prompt", "Up", "Space", "f")
	m.press("Escape") // back to the list
	m.gone("Fork before a prompt")
	m.then("no messages yet", "Space", "n")
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
