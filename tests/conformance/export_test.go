//go:build unix

package conformance_test

import (
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/redact"
)

// A session that was redacted opens in pi, which sees the tree that pith sees and
// builds a context of it (E12).
func TestPiOpensWhatWasRedacted(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		for _, name := range []string{"before-compaction.jsonl", "large-session.jsonl"} {
			s := openPith(t, filepath.Join("testdata", "fixtures", name), pith.Options{ReadOnly: true})
			plan, err := export.Review(t.Context(), s, export.Options{Format: export.JSONL, Redact: redact.Options{Names: redact.Names{Words: []string{"the", "session", "agent"}}}})
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Places()) == 0 {
				t.Fatalf("nothing is replaced in %s: this tests nothing", name)
			}
			out := filepath.Join(t.TempDir(), name)
			if _, err := plan.WriteFile(t.Context(), out, false); err != nil {
				t.Fatal(err)
			}
			wantSameTree(t, r.Host, out)
			theirs, err := r.Open(t.Context(), out)
			if err != nil {
				t.Fatal(err)
			}
			if messages, err := theirs.Context(t.Context()); err != nil || len(messages.Messages) == 0 {
				t.Errorf("pi's context of %s = %v, %v", name, messages, err)
			}
		}
	})
}
