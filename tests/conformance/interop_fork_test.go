package conformance_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// A session made by Clone opens in pi, with the context that the entry had in
// the source (pitfalls 127 to 130).
func TestExtractsOpenInPi(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		for seed := range uint64(4) {
			t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
				r := r.in(t)
				s := openPith(t, r.written(t, 3000+seed, calls), pith.Options{})
				for i, id := range allIDs(t, s) {
					if i%6 == 5 {
						r.extract(t, s, id)
					}
				}
			})
		}
	})
}

func allIDs(t *testing.T, s *pith.Session) []string {
	t.Helper()
	return ids(t, pithAccount(t, s, atLeaf).Entries)
}

func (r rig) extract(t *testing.T, s *pith.Session, id string) {
	t.Helper()
	x, err := s.Clone(t.Context(), id)
	if err != nil {
		t.Fatalf("Clone(%s): %v", id, err)
	}
	defer x.Close()
	c, err := s.View().Context(id)
	want := pithContext(t, "leaf", c, err)
	if !x.Written() {
		return // no message on that path
	}
	got := r.compare(t, x.File(), atLeaf)
	sameContexts(t, []contextAccount{want}, got.Contexts)
	if r.modern() {
		r.compareExtract(t, s, x, id)
	}
}

// compareExtract compares the lines of an extract with those of pi's own. pi
// 0.73.1 is excluded: it loses entries below a label.
func (r rig) compareExtract(t *testing.T, s, x *pith.Session, id string) {
	t.Helper()
	var path string
	if err := r.open(t, s.File()).Call(t.Context(), &path, "createBranchedSession", id); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return // pi waits for an answer, pith writes with the question
	}
	source := readFile(t, s.File())
	ours, theirs := extractedLines(t, x.File(), source), extractedLines(t, path, source)
	if n := len(ours); n == len(theirs)+1 && strings.HasPrefix(ours[n-1], `{"type":"session_info"`) {
		ours = ours[:n-1] // carries the name over, which pi loses (pitfall 130)
	}
	sameLists(t, "extract at "+id, ours, theirs)
}

// extractedLines are the lines of an extract. Ids that the source does not have
// are named new-1, new-2, … in file order, the header loses id and time.
func extractedLines(t *testing.T, path, source string) []string {
	t.Helper()
	text := strings.TrimSuffix(readFile(t, path), "\n")
	header, rest, _ := strings.Cut(text, "\n")
	var names []string
	for _, id := range ids(t, strings.Split(rest, "\n")) {
		if !strings.Contains(source, `"id":"`+id+`"`) {
			names = append(names, `"`+id+`"`, fmt.Sprintf(`"new-%d"`, len(names)/2+1))
		}
	}
	header = entryTime.ReplaceAllString(headerID.ReplaceAllString(header, `$1"<id>"`), `"timestamp":"<time>"`)
	return append([]string{header}, strings.Split(strings.NewReplacer(names...).Replace(rest), "\n")...)
}

// A session made by ForkFrom opens in pi with all branches, and has the lines
// of pi's own fork.
func TestForksOpenInPi(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		for seed := range uint64(4) {
			t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
				r := r.in(t)
				source := r.written(t, 4000+seed, calls)
				const cwd = "/home/dev/elsewhere"
				ours, err := pith.ForkFrom(t.Context(), source, pith.Options{Cwd: cwd, Dir: r.dir})
				if err != nil {
					t.Fatal(err)
				}
				defer ours.Close()
				r.compare(t, ours.File(), atEntries)
				theirs, err := r.ForkFrom(t.Context(), source, cwd, r.dir)
				if err != nil {
					t.Fatal(err)
				}
				path, err := theirs.File(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				sameLists(t, "fork", extractedLines(t, ours.File(), readFile(t, source)), extractedLines(t, path, readFile(t, source)))
				sameLists(t, "entries of the fork", pithAccount(t, ours, atLeaf).Entries, piAccount(t, r.open(t, source), atLeaf).Entries)
			})
		}
	})
}

// pi's own extracts and forks open in pith.
func TestPiForksOpenInPith(t *testing.T) {
	r := newRig(t, pi.V0_87_1)
	source := r.written(t, 5000, calls)
	compared := 0
	for i, id := range allIDs(t, reopen(t, source)) {
		if i%8 != 7 {
			continue
		}
		var path string
		if err := r.open(t, source).Call(t.Context(), &path, "createBranchedSession", id); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err == nil { // pi waits for an answer
			r.compare(t, path, atLeaf)
			compared++
		}
	}
	if compared < 4 {
		t.Errorf("pi wrote only %d extracts", compared)
	}
}
