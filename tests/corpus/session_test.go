package corpus_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// An entry is what the checks below need of a line.
type entry struct {
	Type             string
	ID               string
	ParentID         *string
	FirstKeptEntryID string
	TargetID         string
	FromID           string
	Message          *struct {
		Role       string
		ToolCallID string
		StopReason string
		Content    json.RawMessage
	}
	size int
}

func (e entry) kind() string {
	if e.Message != nil {
		return e.Message.Role
	}
	return e.Type
}

// decode reads a session file strictly: every line must be JSON.
func decode(t testing.TB, data []byte) []entry {
	t.Helper()
	var entries []entry
	for line := range bytes.Lines(data) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("line %d: %v: %.200s", len(entries)+1, err, line)
		}
		e.size = len(line)
		entries = append(entries, e)
	}
	return entries
}

var shapes = map[string]corpus.Options{
	"zero":       {},
	"one entry":  {Entries: 1},
	"two":        {Entries: 2},
	"five":       {Entries: 5},
	"by bytes":   {Bytes: 50_000},
	"everything": {Seed: 7, Entries: 2000, Branches: 12, CompactEvery: 300, Labels: 9, Name: "all of it", Images: true, Cwd: `/tmp/a "b"`},
	"both":       {Seed: 8, Entries: 400, Bytes: 80_000_000, Branches: 3},
}

func TestSessionIsDeterministic(t *testing.T) {
	for name, o := range shapes {
		t.Run(name, func(t *testing.T) {
			first := corpus.Bytes(o)
			if !bytes.Equal(first, corpus.Bytes(o)) {
				t.Errorf("Bytes(%+v) differs from itself", o)
			}
			o.Seed++
			if bytes.Equal(first, corpus.Bytes(o)) {
				t.Errorf("Bytes(%+v) is the same with another seed", o)
			}
		})
	}
}

// The bytes of a version never change: cached files and published figures
// depend on them. A changed sum needs a new ContentVersion.
func TestContentVersion(t *testing.T) {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		if err := corpus.Session(sum, shapes[name]); err != nil {
			t.Fatal(err)
		}
	}
	got := fmt.Sprintf("v%d %x", corpus.ContentVersion, sum.Sum(nil)[:8])
	if want := "v1 485b428f682634f6"; got != want {
		t.Errorf("content is %s, want %s", got, want)
	}
}

func TestSessionIsWellFormed(t *testing.T) {
	for name, o := range shapes {
		t.Run(name, func(t *testing.T) {
			entries := decode(t, corpus.Bytes(o))
			if entries[0].Type != "session" {
				t.Fatalf("first line is %q, want a session header", entries[0].Type)
			}
			if o.Entries > 0 && len(entries)-1 != o.Entries {
				t.Errorf("Session(%+v) has %d entries, want %d", o, len(entries)-1, o.Entries)
			}
			checkLinks(t, entries[1:])
		})
	}
}

// checkLinks checks invariant C2.
func checkLinks(t *testing.T, entries []entry) {
	t.Helper()
	parent := map[string]string{}
	onPath := func(id, from string) bool {
		for ; from != ""; from = parent[from] {
			if from == id {
				return true
			}
		}
		return false
	}
	var waiting []string
	for i, e := range entries {
		if _, seen := parent[e.ID]; seen {
			t.Fatalf("entry %d: id %s comes twice", i, e.ID)
		}
		above := ""
		if e.ParentID != nil {
			above = *e.ParentID
			if _, seen := parent[above]; !seen {
				t.Fatalf("entry %d: parent %s does not come before it", i, above)
			}
		} else if i > 0 {
			t.Errorf("entry %d is a second root", i)
		}
		parent[e.ID] = above
		if e.Type == "compaction" && !onPath(e.FirstKeptEntryID, above) {
			t.Errorf("entry %d: kept entry %s is not on the path", i, e.FirstKeptEntryID)
		}
		if e.Type == "label" && !onPath(e.TargetID, above) {
			t.Errorf("entry %d: labelled entry %s is not on the path", i, e.TargetID)
		}
		waiting = checkCalls(t, i, e, waiting)
	}
}

// checkCalls checks that results answer calls in order; it returns the calls
// that still wait.
func checkCalls(t *testing.T, i int, e entry, waiting []string) []string {
	t.Helper()
	if e.kind() == "toolResult" {
		if len(waiting) == 0 || waiting[0] != e.Message.ToolCallID {
			t.Fatalf("entry %d: result of call %s, waiting are %v", i, e.Message.ToolCallID, waiting)
		}
		return waiting[1:]
	}
	if len(waiting) > 0 {
		t.Fatalf("entry %d: %s while calls %v wait for results", i, e.kind(), waiting)
	}
	var blocks []struct{ Type, ID string }
	if e.Message != nil && json.Unmarshal(e.Message.Content, &blocks) == nil { // Content may be a string.
		for _, block := range blocks {
			if block.Type == "toolCall" {
				waiting = append(waiting, block.ID)
			}
		}
	}
	return waiting
}

func TestSessionHasAllThatItShould(t *testing.T) {
	count := map[string]int{}
	for _, e := range decode(t, corpus.Bytes(shapes["everything"])) {
		count[e.kind()]++
	}
	want := map[string]int{
		"session": 1, "user": 50, "assistant": 500, "toolResult": 500, "model_change": 1, "thinking_level_change": 1, "session_info": 1,
		"label": 9, "compaction": 5, "branch_summary": 5, "custom": 1, "custom_message": 1, "bashExecution": 1,
	}
	for kind, n := range want {
		if count[kind] < n {
			t.Errorf("%d lines of kind %s, want at least %d", count[kind], kind, n)
		}
	}
}

// Lines are as long as those of real sessions.
func TestLineLengths(t *testing.T) {
	sizes := map[string][]int{}
	for _, e := range decode(t, corpus.Bytes(corpus.Options{Seed: 3, Bytes: 20_000_000})) {
		sizes[e.kind()] = append(sizes[e.kind()], e.size)
	}
	tests := map[string]struct{ median, p99, max [2]int }{
		"user":       {median: [2]int{200, 260}, p99: [2]int{1500, 6000}, max: [2]int{3000, 41000}},
		"assistant":  {median: [2]int{720, 880}, p99: [2]int{8000, 24000}, max: [2]int{40000, 60000}},
		"toolResult": {median: [2]int{900, 1130}, p99: [2]int{15000, 53000}, max: [2]int{80000, 116500}},
	}
	for kind, tt := range tests {
		s := sizes[kind]
		slices.Sort(s)
		n := len(s)
		for _, c := range []struct {
			name string
			got  int
			want [2]int
		}{{"median", s[n/2], tt.median}, {"99th percentile", s[n*99/100], tt.p99}, {"longest", s[n-1], tt.max}} {
			if c.got < c.want[0] || c.got > c.want[1] {
				t.Errorf("%s: %s is %d bytes, want %d to %d", kind, c.name, c.got, c.want[0], c.want[1])
			}
		}
	}
}

func TestLargeSessions(t *testing.T) {
	for name, o := range map[string]corpus.Options{"large": corpus.LargeOptions(), "uncompacted": corpus.UncompactedOptions()} {
		var c lineCounter
		if err := corpus.Session(&c, o); err != nil {
			t.Fatal(err)
		}
		if c.lines < 51_000 || c.lines > 53_500 || c.bytes < corpus.LargeBytes || c.bytes > corpus.LargeBytes*101/100 {
			t.Errorf("%s: %d lines, %d bytes; want about 52,000 and %d", name, c.lines, c.bytes, corpus.LargeBytes)
		}
		if got, want := c.compactions > 20, o.CompactEvery > 0; got != want {
			t.Errorf("%s: %d compactions, want some: %v", name, c.compactions, want)
		}
	}
}

type lineCounter struct{ lines, bytes, compactions int }

func (c *lineCounter) Write(p []byte) (int, error) {
	c.lines += bytes.Count(p, []byte("\n"))
	c.compactions += bytes.Count(p, []byte(`{"type":"compaction"`))
	c.bytes += len(p)
	return len(p), nil
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestSessionReportsWriteErrors(t *testing.T) {
	if err := corpus.Session(brokenWriter{io.ErrShortWrite}, corpus.Options{Entries: 500}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Session to a broken writer = %v, want %v", err, io.ErrShortWrite)
	}
}

// JavaScript prints every generated line unchanged, so that a rewrite by pi
// keeps it.
func TestLinesAreAsPiPrintsThem(t *testing.T) {
	h := pi.StartFor(t, pi.Require(t, pi.V0_73_1))
	dir := t.TempDir()
	check := func(name string, data []byte) {
		path := filepath.Join(dir, "session.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := h.Restringify(t.Context(), path)
		if err != nil || r.Changed > 0 {
			t.Errorf("%s: %d of %d lines change, the first: %+v, %v", name, r.Changed, r.Lines, r.First, err)
		}
	}
	for name, o := range shapes {
		check(name, corpus.Bytes(o))
	}
	for _, d := range corpus.Demos("/tmp/demo") {
		whole := d.Bytes[:bytes.LastIndexByte(d.Bytes, '\n')+1]
		check(d.Name, whole)
	}
}
