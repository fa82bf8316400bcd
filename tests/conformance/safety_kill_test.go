//go:build unix

package conformance_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// rounds are how often a test kills: fewer in a short run.
func rounds(n int) int {
	if testing.Short() {
		return max(2, n/8)
	}
	return n
}

// A writer killed at any moment loses nothing that was acknowledged; the file
// opens, a torn line is reported, and the next process appends a line of its own
// (pitfalls 1, 24, 25, 28, 35, 162). In the end pi opens every file.
func TestKilledWriter(t *testing.T) {
	const moment = 20 * time.Millisecond
	var files []string
	kills, torn := 0, 0
	for n := range rounds(16) {
		dir, sizes := t.TempDir(), []string{"mixed", "big"}[n%2]
		a := startActor(t, "begin", dir, sizes)
		path := a.next(t)
		acknowledged := a.killAfter(t, randomUpTo(moment))
		kills++
		agedLeftovers(t, dir)
		if _, err := os.Stat(path); os.IsNotExist(err) {
			if len(acknowledged) > 0 {
				t.Fatalf("there is no file, but %d messages were acknowledged", len(acknowledged))
			}
			wantListed(t, dir)
			continue
		}
		wantListed(t, dir, path)
		k := &killedSession{path: path}
		k.check(t, acknowledged)
		k.append(t)
		for i := range 3 {
			if i > 0 {
				sizes = "huge"
			}
			a := startActor(t, "go on", path, "refuse", "1000000", sizes)
			a.next(t)
			if sizes == "huge" {
				acknowledged = a.killWriting(t, path)
			} else {
				a.release(t)
				acknowledged = a.killAfter(t, randomUpTo(moment))
			}
			kills++
			k.check(t, firstWords(acknowledged))
			k.append(t)
		}
		torn += k.torn
		files = append(files, path)
	}
	t.Logf("%d kills, %d torn lines in %d files", kills, torn, len(files))
	piOpens(t, files)
}

// A killedSession is a session file whose writers get killed.
type killedSession struct {
	path  string
	data  string   // of the file, at the last look
	ids   []string // of the path
	torn  int
	dirty bool // the file does not end with a newline
}

// check looks at the file after a kill: it holds what was there before, then
// all that was acknowledged, then at most one thing more.
func (k *killedSession) check(t *testing.T, acknowledged []string) {
	t.Helper()
	data := readFile(t, k.path)
	if !strings.HasPrefix(data, k.data) {
		t.Fatalf("the file does not begin with the %d bytes that were there before", len(k.data))
	}
	s := reopen(t, k.path)
	defer s.Close()
	ids := leafPath(t, s)
	want := slices.Concat(k.ids, acknowledged)
	more := len(ids) - len(want)
	if more < 0 || !slices.Equal(ids[:len(want)], want) {
		t.Fatalf("the path has %d entries; want the %d from before, then the %d acknowledged, in order", len(ids), len(k.ids), len(acknowledged))
	}
	k.dirty = false
	found := s.Findings()[k.torn:]
	for _, f := range found {
		if f.Code != "torn" && f.Code != "no-newline" {
			t.Errorf("finding %v; want none but about the end of the file", f)
		}
		k.dirty = true
		if f.Code == "torn" {
			more++
			k.torn++
		}
	}
	if more > 1 || len(found) > 1 {
		t.Errorf("%d entries or pieces of one that were not acknowledged, findings %v; want one at most", more, found)
	}
	if ended := data[len(data)-1] == '\n'; ended == k.dirty {
		t.Errorf("the file ends with a newline: %t; the findings are %v", ended, found)
	}
	k.data, k.ids = data, ids
}

// append has another process append, and checks that its entry is one line of
// its own below all that was there.
func (k *killedSession) append(t *testing.T) {
	t.Helper()
	a := startActor(t, "say", k.path)
	a.next(t)
	id := a.rest(t)[0]
	data := readFile(t, k.path)
	added, same := strings.CutPrefix(data, k.data)
	if k.dirty {
		var sealed bool
		added, sealed = strings.CutPrefix(added, "\n")
		same = same && sealed
	}
	var entry struct{ ID, ParentID string }
	if !same || strings.Count(added, "\n") != 1 || !strings.HasSuffix(added, "\n") || json.Unmarshal([]byte(added), &entry) != nil {
		t.Fatalf("after the next append the file went on with %.200q; want what was there and one new line", added)
	}
	if entry.ID != id || entry.ParentID != k.ids[len(k.ids)-1] {
		t.Errorf("the new line is entry %q under %q; want %q under %q", entry.ID, entry.ParentID, id, k.ids[len(k.ids)-1])
	}
	k.data, k.ids = data, append(k.ids, id)
	s := reopen(t, k.path)
	defer s.Close()
	if got := s.Findings(); len(got) != k.torn {
		t.Errorf("findings = %v; want the %d torn lines, still reported", got, k.torn)
	}
}

// piOpens checks that pi 0.87.1 sees in every file the path that pith sees.
func piOpens(t *testing.T, files []string) {
	t.Helper()
	pi := pi.StartFor(t, pi.Require(t, pi.V0_87_1))
	for _, path := range files {
		want := leafPath(t, reopen(t, path))
		s, err := pi.Open(t.Context(), path)
		if err != nil {
			t.Fatalf("pi does not open a file that killed writers left: %v", err)
		}
		nodes, err := s.FlatTree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range nodes {
			got = append(got, n.ID)
		}
		same(t, "pi's entries", got, want)
		if err := s.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func randomUpTo(d time.Duration) time.Duration { return rand.N(d + 1) }

func firstWords(lines []string) []string {
	out := []string{}
	for _, l := range lines {
		word, _, _ := strings.Cut(l, " ")
		out = append(out, word)
	}
	return out
}

// agedLeftovers returns the unfinished files in a directory and checks that all
// of them are reported, once they are old enough to be distinguished from one
// in progress.
func agedLeftovers(t *testing.T, dir string) []string {
	t.Helper()
	unfinished, err := filepath.Glob(filepath.Join(dir, ".pith-*"))
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, path := range unfinished {
		if info, err := os.Stat(path); err == nil && info.Size() == 0 {
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	left, err := filestore.Leftovers(dir)
	if err != nil || !slices.Equal(left, unfinished) {
		t.Errorf("Leftovers = %q, %v; want %q", left, err, unfinished)
	}
	return left
}

// wantListed checks which sessions a list of a directory shows.
func wantListed(t *testing.T, dir string, want ...string) {
	t.Helper()
	skipped := func(path string, err error) { t.Errorf("listing: %s: %v", path, err) }
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Dir: dir, Skipped: skipped}))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, info := range infos {
		got = append(got, info.Path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("listed are %q; want %q", got, want)
	}
}
