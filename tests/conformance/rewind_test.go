//go:build unix

package conformance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rewinds runs pith rewind, which has no refusals.
func (w *workshop) rewinds(session, entry string) {
	w.t.Helper()
	var answer struct {
		Files []struct {
			File     string
			Restored bool
		}
	}
	out := w.pith("rewind", session, entry, "--yes", "--json")
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		w.t.Fatal(err)
	}
	for _, f := range answer.Files {
		if !f.Restored {
			w.t.Errorf("%s was not restored: %s", f.File, out)
		}
	}
}

// pith rewind takes back what the real Claude Code and pi did to files: those of Claude
// Code with files only, those of pi with the conversation, which pi then continues.
func TestRewindOfRealPrograms(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	path := func(name string) string { return filepath.Join(w.project, name) }
	has := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(path(name)); string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
	w.asks("claude", "claude1", toolCall("Write", map[string]any{"file_path": path("new.txt"), "content": "new\n"}),
		toolCall("Read", map[string]any{"file_path": path("a.txt")}), toolCall("Edit", map[string]any{"file_path": path("a.txt"), "old_string": "beta", "new_string": "gamma"}))
	has("a.txt", "alpha\ngamma\n")
	w.rewinds("@", "@root")
	has("a.txt", "alpha\nbeta\n")
	has("new.txt", "")

	w.asks("pi", "pi1", toolCall("read", map[string]any{"path": "a.txt"}))
	w.asks("pi", "pi2", toolCall("edit", map[string]any{"path": "a.txt", "edits": []any{map[string]any{"oldText": "beta", "newText": "delta"}}}),
		toolCall("write", map[string]any{"path": "pi.txt", "content": "of pi\n"}))
	has("a.txt", "alpha\ndelta\n")
	var rows []struct{ ID, Text string }
	if err := json.Unmarshal([]byte(w.pith("tree", "@", "--json")), &rows); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(rows, func(r struct{ ID, Text string }) bool { return strings.Contains(r.Text, "pi2") })
	if at < 1 {
		t.Fatalf("pi2 is not in %v", rows)
	}
	w.rewinds("@", rows[at-1].ID)
	has("a.txt", "alpha\nbeta\n")
	has("pi.txt", "")
	w.asks("pi", "pi3")
	for _, m := range w.stages["claude"].Request("pi3") {
		for _, p := range m.Parts {
			if p.Text != nil && strings.HasPrefix(*p.Text, "pi2") {
				t.Error("pi continued after the turn that was taken back")
			}
		}
	}
}
