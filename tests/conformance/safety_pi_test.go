//go:build unix

package conformance_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith/tests/interop/pi"
)

// pith and the real pi, which takes no locks and does not check, append to one
// session concurrently. No line is lost, torn or fused, every message of both
// is in the tree, and pith's follow the end of the file at the time they were
// written (pitfalls 24, 165, 169, 170).
func TestBesidePi(t *testing.T) {
	for _, v := range pi.Versions() {
		t.Run(string(v), func(t *testing.T) {
			const byPi, byPith = 500, 800
			pi := pi.StartFor(t, pi.Require(t, v))
			path := sessionFile(t, sharedHead)
			theirs, err := pi.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			a := startActor(t, "go on", path, "follow", fmt.Sprint(byPith), "mixed")
			a.next(t)
			spoken := piSpeaks(t, theirs, byPi)
			piIDs := []string{<-spoken} // pi is speaking
			a.release(t)
			ours := parseAppends(t, a.rest(t))
			for id := range spoken {
				piIDs = append(piIDs, id)
			}
			f := readShared(t, path)
			f.wantAll(t, piIDs, ours)
			interleaved := f.wantAtTheEnd(t, ours)
			t.Logf("%d messages of pi and %d of pith, the writer changed %d times; pi got between check and write %d times; %d blank lines",
				len(piIDs), len(ours), f.changes(piIDs), interleaved, f.blank)
			wantSameTree(t, pi, path)
		})
	}
}

// piSpeaks has pi append messages as fast as it can. The ids come through the
// channel as they are acknowledged.
func piSpeaks(t *testing.T, s *pi.Session, count int) <-chan string {
	ids := make(chan string, count)
	var calls sync.WaitGroup
	sz := sizesNamed("mixed")
	for n := range count {
		text := strings.Repeat("π", sz.of(n)/2)
		calls.Go(func() {
			message := map[string]any{"role": "user", "content": text, "timestamp": 1_770_000_000_000 + n}
			id, err := s.Append(t.Context(), "appendMessage", message)
			if err != nil {
				t.Errorf("pi's appendMessage: %v", err)
			}
			ids <- id
		})
	}
	go func() {
		calls.Wait()
		close(ids)
	}()
	return ids
}

// An ownAppend is an append of a pith process that was acknowledged.
type ownAppend struct {
	id      string
	at, off int64 // the length that it believed the file had; where it was written
}

func parseAppends(t *testing.T, lines []string) []ownAppend {
	t.Helper()
	var out []ownAppend
	for _, line := range lines[:len(lines)-1] { // the last one says how often it was refused
		var a ownAppend
		if _, err := fmt.Sscan(line, &a.id, &a.at, &a.off); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		out = append(out, a)
	}
	return out
}

// A sharedFile is a session file that several programs wrote to.
type sharedFile struct {
	path    string
	ids     []string // in file order, without the header's
	parents map[string]string
	blank   int // lines; a writer that met another's half-written line ends it
}

func readShared(t *testing.T, path string) *sharedFile {
	t.Helper()
	f := &sharedFile{path: path, parents: map[string]string{}}
	data := readFile(t, path)
	if !strings.HasSuffix(data, "\n") {
		t.Errorf("the file does not end with a newline")
	}
	number := 0
	for line := range strings.Lines(data) {
		number++
		if line == "\n" {
			f.blank++
			continue
		}
		var record struct{ ID, ParentID, Type string }
		if err := json.Unmarshal([]byte(line), &record); err != nil || record.ID == "" {
			t.Fatalf("line %d is %.100q: %v; want one whole record", number, line, err)
		}
		if record.Type == "session" {
			continue
		}
		if _, twice := f.parents[record.ID]; twice {
			t.Errorf("line %d: entry %s is there twice", number, record.ID)
		}
		f.ids = append(f.ids, record.ID)
		f.parents[record.ID] = record.ParentID
	}
	return f
}

// wantAll checks that the file holds the acknowledged messages of both and
// nothing else, and that pith finds nothing wrong with it.
func (f *sharedFile) wantAll(t *testing.T, theirs []string, ours []ownAppend) {
	t.Helper()
	want := slices.Clone(theirs)
	for _, a := range ours {
		want = append(want, a.id)
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(f.ids[2:])); !slices.Equal(got, want) {
		t.Errorf("the file has %d new entries; want the %d of pi and the %d of pith, each once", len(got), len(theirs), len(ours))
	}
	s := reopen(t, f.path)
	if s.View().Len() != len(f.ids) || len(s.Findings()) != 0 {
		t.Errorf("Len() = %d, findings %v; want %d and none", s.View().Len(), s.Findings(), len(f.ids))
	}
	if roots, err := s.View().Children(""); len(roots) != 1 || err != nil {
		t.Errorf("roots %v, %v; want one: every message hangs in the one tree", roots, err)
	}
}

// wantAtTheEnd checks that each of pith's entries has the one before it in the
// file as its parent. An entry that was not written where pith believed the end
// to be had pi come in between; such are counted.
func (f *sharedFile) wantAtTheEnd(t *testing.T, ours []ownAppend) (interleaved int) {
	t.Helper()
	position := map[string]int{}
	for i, id := range f.ids {
		position[id] = i
	}
	for _, a := range ours {
		i := position[a.id]
		parent := f.parents[a.id]
		if a.at != a.off {
			interleaved++
			if p, ok := position[parent]; !ok || p >= i {
				t.Errorf("entry %s, before which pi came in, hangs below %q; want an entry before it", a.id, parent)
			}
			continue
		}
		if parent != f.ids[i-1] {
			t.Errorf("entry %s hangs below %s; want %s, the end of the file when it was written", a.id, parent, f.ids[i-1])
		}
	}
	return interleaved
}

// changes is how often one writer's line follows the other's.
func (f *sharedFile) changes(theirs []string) int {
	n := 0
	for i := 1; i < len(f.ids); i++ {
		if slices.Contains(theirs, f.ids[i]) != slices.Contains(theirs, f.ids[i-1]) {
			n++
		}
	}
	return n
}

// wantSameTree checks that a pi that opens the file again sees pith's tree.
func wantSameTree(t *testing.T, pi *pi.Host, path string) {
	t.Helper()
	theirs, err := pi.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := theirs.FlatTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, n := range nodes {
		got[n.ID] = ""
		if n.Parent >= 0 {
			got[n.ID] = nodes[n.Parent].ID
		}
	}
	want := map[string]string{}
	s := reopen(t, path)
	for entry, err := range s.View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		want[entry.Head().ID] = entry.Head().ParentID
	}
	same(t, "pi's tree", got, want)
}
