package summarize_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/tests/corpus"
)

var update = flag.Bool("update", false, "rewrite the summaries in testdata")

// The summaries of two days of real work, and of the demo. Read them when they
// change: could the work continue from them?
func TestExtractGolden(t *testing.T) {
	fixtures := filepath.Join("..", "..", "tests", "conformance", "testdata", "fixtures")
	tests := map[string]fixture{
		"before-compaction": {filepath.Join(fixtures, "before-compaction.jsonl"), 3000},
		"large-session":     {filepath.Join(fixtures, "large-session.jsonl"), 300},
		"large-session-20k": {filepath.Join(fixtures, "large-session.jsonl"), 20000},
	}
	for _, demo := range corpus.Demos(filepath.FromSlash("/sessions")) {
		if demo.Name == "bug-hunt" || demo.Name == "japanese" || demo.Name == "refactoring" {
			path := filepath.Join(t.TempDir(), "demo.jsonl")
			if err := os.WriteFile(path, demo.Bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			tests["demo-"+demo.Name] = fixture{path, 100}
		}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := compacted(t, tt.file, tt.keep, summarize.Extract())
			golden := filepath.Join("testdata", name+".md")
			if *update {
				if err := os.WriteFile(golden, []byte(c+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || c+"\n" != string(want) {
				t.Errorf("Extract of %s (%v) differs from %s; if it is better, run with -update:\n%s", name, err, golden, c)
			}
		})
	}
}

type fixture struct {
	file string
	keep int64 // tokens
}

// compacted is the summary of a session, compacted at its end.
func compacted(t *testing.T, file string, keep int64, s compact.Summarizer) string {
	t.Helper()
	session, err := pith.Open(t.Context(), file, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	set := compact.Defaults()
	set.KeepRecentTokens = keep
	plan, err := compact.Prepare(session, set)
	if err != nil {
		t.Fatal(err)
	}
	c, err := plan.Summarize(t.Context(), s, compact.SummaryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Summary
}
