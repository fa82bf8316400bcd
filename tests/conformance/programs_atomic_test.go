package conformance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// Atomic reads pith's writes into an Atomic session. The program is not
// published, so its rules are here: the last line is the leaf, the last
// session_info is the name, a compaction counts if it holds lines.
func TestAtomicReadsWhatPithWrites(t *testing.T) {
	home := t.TempDir()
	const samples = "atomic-0.9.15"
	for _, base := range samplesIn(t, samples) {
		for what, write := range writes {
			if what == "compact" || what == "all" {
				continue // refused, see below
			}
			t.Run(base+"/"+what, func(t *testing.T) {
				file := copySample(t, samples, base, filepath.Join(home, ".atomic/agent/sessions", base+"-"+what))
				s := openPith(t, file, pith.Options{Force: true, Dir: filepath.Dir(file)})
				made := write(t, s)
				closePith(t, s)
				leaf, name, seen := asAtomic(t, made)
				got := standingOf(t, made)
				if got.Leaf != leaf || got.Name != name || fmt.Sprint(seen) != fmt.Sprint(spokenOf(got.Messages)) {
					t.Errorf("pith sees %q, %q, %q; Atomic %q, %q, %q", got.Leaf, got.Name, spokenOf(got.Messages), leaf, name, seen)
				}
			})
		}
		file := copySample(t, samples, base, filepath.Join(home, ".atomic/agent/sessions", base+"-compact"))
		s := openPith(t, file, pith.Options{Force: true})
		before := readFile(t, file)
		if _, err := s.AppendCompaction(t.Context(), summaryFor(s)); !errors.Is(err, pith.ErrInvalid) || readFile(t, file) != before {
			t.Errorf("%s: a summary that Atomic would pass over: %v, want that it is refused", base, err)
		}
		closePith(t, s)
	}
}

// asAtomic reads a file by Atomic's rules: leaf, name, and the messages after
// the last compaction that counts.
func asAtomic(t *testing.T, file string) (leaf, name string, spoken []string) {
	t.Helper()
	type entry struct {
		Type, ID, Name, Summary string
		ParentID                *string
		Details                 struct{ Strategy string }
		Message                 json.RawMessage
	}
	entries := map[string]entry{}
	for line := range strings.Lines(readFile(t, file)) {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == "session" {
			continue
		}
		entries[e.ID], leaf = e, e.ID
		if e.Type == "session_info" {
			name = e.Name
		}
	}
	for id := leaf; id != ""; {
		e, there := entries[id]
		if !there || e.Type == "compaction" && e.Details.Strategy == "verbatim-lines" {
			break
		}
		if e.Type == "message" {
			if m := sketchMessage(t, e.Message); isSpoken(m) {
				spoken = append([]string{m}, spoken...)
			}
		}
		id = ""
		if e.ParentID != nil {
			id = *e.ParentID
		}
	}
	return leaf, name, spoken
}

// spokenOf returns the user and assistant messages.
func spokenOf(messages []string) (out []string) {
	for _, m := range messages {
		if isSpoken(m) {
			out = append(out, m)
		}
	}
	return out
}

func isSpoken(m string) bool {
	return strings.HasPrefix(m, "user") || strings.HasPrefix(m, "assistant")
}

// summaryFor is a compaction in words, as pi makes it.
func summaryFor(s *pith.Session) format.Compaction {
	return format.Compaction{Summary: "in words", FirstKeptEntryID: s.LeafID(), TokensBefore: 100}
}
