package corpus_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

func TestDemosAreWellFormed(t *testing.T) {
	names := map[string]bool{}
	for _, d := range corpus.Demos("/tmp/demo") {
		t.Run(d.Name, func(t *testing.T) {
			if names[d.Name] || !strings.HasPrefix(d.Path, corpus.ProjectFolder(d.Cwd)+"/") {
				t.Errorf("demo %q: name taken or odd path %q", d.Name, d.Path)
			}
			names[d.Name] = true
			if len(d.Bytes) > 32<<10 {
				t.Errorf("demo has %d bytes, want a small one", len(d.Bytes))
			}
			end := bytes.LastIndexByte(d.Bytes, '\n') + 1
			if torn := end < len(d.Bytes); torn != (d.Name == "damaged") {
				t.Errorf("torn tail: %v, want it in the demo %q alone", torn, "damaged")
			}
			entries := decode(t, d.Bytes[:end])
			if d.Name != "old-format" { // It has no ids.
				checkLinks(t, entries[1:])
			}
		})
	}
}

func TestDemosShowWhatTheyPromise(t *testing.T) {
	want := map[string]string{
		"bug-hunt": `"label":"root cause"`, "bug-hunt-fork": `"parentSession":"/tmp/demo/`, "refactoring": `"type":"branch_summary"`,
		"layout": `"type":"image"`, "japanese": "令和", "old-format": `"firstKeptEntryIndex"`, "damaged": "No space left on device",
	}
	for _, d := range corpus.Demos("/tmp/demo") {
		if text := want[d.Name]; text == "" || !bytes.Contains(d.Bytes, []byte(text)) {
			t.Errorf("demo %s does not contain %q", d.Name, text)
		}
	}
}

// Both releases of pi open, list and continue the demos.
func TestPiOpensTheDemos(t *testing.T) {
	for _, v := range pi.Versions() {
		t.Run(string(v), func(t *testing.T) {
			h := pi.StartFor(t, pi.Require(t, v))
			root := t.TempDir()
			demos := corpus.Demos(root)
			for _, d := range demos {
				path := filepath.Join(root, filepath.FromSlash(d.Path))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, d.Bytes, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			infos, err := h.ListAll(t.Context(), root)
			if err != nil || len(infos) != len(demos) {
				t.Errorf("ListAll = %d sessions, %v; want %d", len(infos), err, len(demos))
			}
			for _, d := range demos {
				s, err := h.Open(t.Context(), filepath.Join(root, filepath.FromSlash(d.Path)))
				if err != nil {
					t.Errorf("Open(%s) = %v", d.Name, err)
					continue
				}
				c, err := s.Context(t.Context())
				if err != nil || len(c.Messages) < 4 {
					t.Errorf("%s: context of %d messages, %v; want some", d.Name, len(c.Messages), err)
				}
			}
		})
	}
}
