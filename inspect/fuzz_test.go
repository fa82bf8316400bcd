package inspect_test

import (
	"testing"

	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/tests/corpus"
)

// Whatever a file and a search contain, reading neither fails nor panics, and
// pages contain every turn once.
func FuzzReading(f *testing.F) {
	seeds := 0
	for _, odd := range corpus.Odd() {
		if len(odd.Bytes) < 64<<10 {
			f.Add(odd.Bytes, "a \"b c\"", 2)
			seeds++
		}
	}
	if seeds == 0 {
		f.Fatal("no seeds: a fuzz target without a corpus tests nothing")
	}
	f.Fuzz(func(t *testing.T, data []byte, search string, limit int) {
		s := open(t, data)
		if s == nil {
			return
		}
		for _, scope := range []inspect.Scope{{}, {AllBranches: true}} {
			checkViews(t, "fuzz", s, scope, inspect.Detail{MaxContent: limit})
			r := reading(t, s, scope)
			if _, err := r.Choose(t.Context(), inspect.Choice{Search: search}); err != nil {
				t.Errorf("Choose(%q): %v", search, err)
			}
			if _, err := r.FailedRuns(); err != nil {
				t.Errorf("FailedRuns: %v", err)
			}
			entries := 0
			for i := range r.Len() {
				entries += turn(t, r, i, inspect.Detail{}).Entries
			}
			if entries != r.Entries() {
				t.Errorf("turns hold %d entries of %d", entries, r.Entries())
			}
		}
	})
}
