package corpus_test

import (
	"bytes"
	"encoding/json"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/corpus"
)

// The sessions of the zoo are valid, the same each time, and have names of their
// own.
func TestZoo(t *testing.T) {
	all := corpus.Zoo("/zoo")
	if len(all) < 14 {
		t.Fatalf("Zoo has %d exhibits", len(all))
	}
	if !reflect.DeepEqual(all, corpus.Zoo("/zoo")) {
		t.Errorf("Zoo makes other exhibits the second time")
	}
	names := map[string]bool{}
	for _, e := range all {
		if names[e.Name] || e.What == "" {
			t.Errorf("exhibit %q has no name of its own, or says nothing: %q", e.Name, e.What)
		}
		names[e.Name] = true
		files := map[string]bool{}
		for _, f := range e.Files {
			files[f.Path] = true
			if path.Base(f.Path) == "parent.jsonl" || strings.Contains(f.Path, "/run-") && !strings.Contains(f.Path, "/subagent-artifacts/") {
				checkZooSession(t, f)
			}
		}
		if !files[e.Session] || e.Other != "" && !files[e.Other] {
			t.Errorf("%s names a session that it has not: %q, %q", e.Name, e.Session, e.Other)
		}
	}
}

func checkZooSession(t *testing.T, f corpus.ZooFile) {
	t.Helper()
	known := map[string]bool{"": true}
	for line := range bytes.Lines(f.Bytes) {
		var e struct{ Type, ID, ParentID string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Errorf("%s: %v in %s", f.Path, err, line)
			continue
		}
		if e.Type == "session" {
			continue
		}
		if known[e.ID] || !known[e.ParentID] {
			t.Errorf("%s: entry %q is there twice, or its parent %q is missing", f.Path, e.ID, e.ParentID)
		}
		known[e.ID] = true
	}
}
