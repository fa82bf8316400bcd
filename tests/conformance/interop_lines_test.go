package conformance_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// One script run in both gives the same file, byte for byte, but for ids and
// times. pi 0.73.1 is left out: it notes another fromId in branch summaries, and
// it takes no line breaks out of names.
func TestBothWriteTheSameLines(t *testing.T) {
	r := newRig(t, pi.V0_87_1)
	for seed := range uint64(scripts) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			author := newAuthor(2000+seed, true)
			author.sameWriting = true
			script := author.script(calls)
			ours := createPith(t, r.cwd, pith.Options{Dir: t.TempDir()})
			theirs, path := r.in(t).create(t)
			ourIDs := perform(t, pithSide{ours}, script, nil)
			theirIDs := perform(t, piSide{theirs}, script, nil)
			sameLists(t, "lines", plainLines(t, ours.File(), ourIDs), plainLines(t, path, theirIDs))
		})
	}
}

var (
	headerID   = regexp.MustCompile(`^(\{"type":"session","version":3,"id":)"[^"]*"`)
	entryTime  = regexp.MustCompile(`"timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`)
	systemTime = regexp.MustCompile(`"timestamp":\d+\}\}$`) // of a compaction's system message
)

// plainLines are the lines of a file with $k for the id of the k-th entry, and
// without the times at which they were written.
func plainLines(t *testing.T, path string, ids []string) []string {
	t.Helper()
	names := make([]string, 0, 2*len(ids))
	for k, id := range ids {
		names = append(names, `"`+id+`"`, fmt.Sprintf(`"$%d"`, k))
	}
	lines := strings.Split(strings.NewReplacer(names...).Replace(readFile(t, path)), "\n")
	for i, line := range lines {
		line = headerID.ReplaceAllString(line, `$1"<id>"`)
		line = entryTime.ReplaceAllString(line, `"timestamp":"<time>"`)
		if strings.HasPrefix(line, `{"type":"compaction"`) {
			line = systemTime.ReplaceAllString(line, `"timestamp":<time>}}`)
		}
		lines[i] = line
	}
	return lines
}
