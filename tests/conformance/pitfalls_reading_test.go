package conformance_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/corpus"
)

// Characters of two to four bytes lie across every border between two reads, in
// each of their phases; all of them arrive (pitfall 9). So does base64, in which
// a lost byte would be a broken picture.
func TestCharactersAcrossReads(t *testing.T) {
	const length = 3 << 20 // many reads of 8, 256 and 512 KB
	for name, char := range map[string]string{"two bytes": "é", "three bytes": "枝", "four bytes": "🌳", "base64": "iVBORw0K"} {
		t.Run(name, func(t *testing.T) {
			for phase := range len(char) {
				text := strings.Repeat("x", phase) + strings.Repeat(char, length/len(char))
				path := sessionFile(t, plainHead+messageLine("aaaa0001", "null", text)+messageLine("aaaa0002", "aaaa0001", "end"))
				s := openPith(t, path, pith.Options{})
				if got := textOf(t, s); got != text+" end" {
					t.Errorf("phase %d: the context says %d bytes; want the %d of the file", phase, len(got), len(text)+4)
				}
				info, err := catalog.Facts(context.Background(), catalog.Ref{Path: path}, catalog.Options{Text: true})
				if err != nil || info.FirstMessage != text || info.Text != text+" end" {
					t.Errorf("phase %d: the list has %d and %d bytes of text, %v; want %d and %d", phase, len(info.FirstMessage), len(info.Text), err, len(text), len(text)+4)
				}
				f, err := pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/home/u/q", Dir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				if got := textOf(t, f); got != text+" end" {
					t.Errorf("phase %d: the fork says %d bytes; want %d", phase, len(got), len(text)+4)
				}
				f.Close()
			}
		})
	}
}

// Files of any size stream: what opening, reading, listing, appending and
// forking hold does not grow with the file, but for a little with the number of
// its entries (pitfall 10). What is allocated at all is an upper bound for what
// is held at any moment.
func TestLargeFilesStream(t *testing.T) {
	sizes := []int64{60_000_000, 300_000_000}
	if testing.Short() {
		sizes = []int64{20_000_000, 60_000_000}
	}
	for _, size := range sizes {
		path := filepath.Join(t.TempDir(), "large.jsonl")
		if err := corpus.WriteFile(path, corpus.Options{Seed: 3, Bytes: size, CompactEvery: 1500, Branches: 20, Labels: 20, Images: true}); err != nil {
			t.Fatal(err)
		}
		wantStreaming(t, path)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func wantStreaming(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var s *pith.Session
	entries := 0
	want := func(what string, got, most int64) {
		t.Helper()
		t.Logf("%d MB, %d entries: %s: %d KB", info.Size()>>20, entries, what, got>>10)
		if got > most {
			t.Errorf("%s of a file of %d MB with %d entries takes %d bytes; want at most %d", what, info.Size()>>20, entries, got, most)
		}
	}
	opening := allocated(t, func() { s = openPith(t, path, pith.Options{}) })
	entries = s.View().Len()
	// An entry costs its envelope, its id and its place in the tree; buffers are
	// those of a few readers.
	want("opening", opening, int64(entries)*300+16<<20)
	want("reading all lines", allocated(t, func() {
		for _, err := range s.View().Reader().Lines() {
			if err != nil {
				t.Fatal(err)
			}
		}
	}), 8<<20+int64(entries)*16)
	want("a name", allocated(t, func() {
		if _, err := s.SetName(t.Context(), "large"); err != nil {
			t.Fatal(err)
		}
	}), 1<<20+int64(entries)*100) // lists that grow are copied
	want("listing", allocated(t, func() {
		if got, err := catalog.Facts(context.Background(), catalog.Ref{Path: path}, catalog.Options{}); err != nil || got.Entries != s.View().Len() {
			t.Errorf("ReadInfo = %d entries, %v; want %d", got.Entries, err, s.View().Len())
		}
	}), 16<<20)
	want("forking", allocated(t, func() {
		f, err := pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/home/u/q", Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.View().Len() != s.View().Len() {
			t.Errorf("the fork has %d entries, want %d", f.View().Len(), s.View().Len())
		}
	}), 2*(int64(entries)*300+16<<20)) // both files are opened
	var x *pith.Session
	want("extracting", allocated(t, func() {
		var err error
		if x, err = s.Clone(t.Context(), s.LeafID()); err != nil {
			t.Fatal(err)
		}
	}), int64(entries)*600+16<<20)
	defer x.Close()
	wantPathOf(t, x, s)
}

// wantPathOf checks that an extract has the path of its source. Labels are set
// again in it, at the end.
func wantPathOf(t *testing.T, x, source *pith.Session) {
	t.Helper()
	path, err := source.View().Path(source.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, pos := range path {
		e := source.View().At(pos)
		if e.Type != format.TypeLabel {
			want = append(want, e.ID)
		}
	}
	if got := leafPath(t, x); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("the extract has %d entries on its path; want it to begin with the %d of its source", len(got), len(want))
	}
}

// Opening reads the file once, and a context only what it shows (pitfall 11).
func TestOpeningReadsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if err := corpus.WriteFile(path, corpus.Options{Seed: 4, Bytes: 20_000_000, CompactEvery: 500}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	m := newMeter()
	s := openPith(t, path, pith.Options{Store: m})
	// Lines that run over the end of a block are read to their end.
	if got := m.bytesRead(); got < info.Size() || got > info.Size()+info.Size()/10 {
		t.Errorf("opening read %d bytes of a file of %d; want each once", got, info.Size())
	}
	shown := int64(len(textOf(t, s)))
	if got := m.bytesRead(); got > info.Size()/2 {
		t.Errorf("a context of %d bytes read %d of a file of %d; want the part behind the last compaction", shown, got, info.Size())
	}
	s.View().Tree()
	if _, err := s.View().PathIDs(s.LeafID()); err != nil {
		t.Fatal(err)
	}
	s.Name()
	s.Findings()
	if got := m.bytesRead(); got != 0 {
		t.Errorf("tree, path, name and findings read %d bytes; want none", got)
	}
	if _, err := s.AppendMessage(t.Context(), format.NewUser("more", time.UnixMilli(1_770_159_127_000))); err != nil {
		t.Fatal(err)
	}
	if got := m.bytesRead(); got != 0 {
		t.Errorf("an append read %d bytes; want none", got)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := m.bytesRead(); got > 4096 {
		t.Errorf("looking whether others wrote read %d bytes; want nearly none", got)
	}
}

// White space at the end without a newline is not a fault, and ending it keeps
// the findings about other lines (pitfalls 5, 6).
func TestBlankTailKeepsFindings(t *testing.T) {
	path := sessionFile(t, plainHead+messageLine("aaaa0001", "null", "one")+"{broken\n"+messageLine("aaaa0002", "aaaa0001", "two")+"  ")
	s := openPith(t, path, pith.Options{})
	before := s.Findings()
	sayNext(t, s)
	fresh := reopen(t, path).Findings()
	if len(before) != 1 || before[0].Code != "malformed" {
		t.Errorf("findings = %v; want one, of the broken line", before)
	}
	same(t, "findings after an append", s.Findings(), before)
	same(t, "findings of a new reader", fresh, before)
}
