package cost

import (
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/spending"
)

// A Tally collects the responses in the lines of a session, for a caller that
// does not have them in a file. The zero value is ready to use.
type Tally struct{ s spending.Scanner }

// Line adds the next line.
func (t *Tally) Line(line []byte) { t.s.Line(line) }

// Pack encodes the responses of the lines since the last call, for
// Options.Known; the result is empty if there are none.
func (t *Tally) Pack() []byte {
	defer t.s.Reset()
	if len(t.s.Found) == 0 && !t.s.Runs {
		return nil
	}
	return append([]byte{keptVersion}, t.s.Pack()...)
}

// Usable reports whether [Count] can use the pieces of a session. It cannot if
// they are malformed, or if the session has results of subagents, whose costs
// are found only in the file.
func Usable(pieces []string) bool { return unpackPieces(new(spending.Scanner), pieces) }

// unpackPieces unpacks the pieces that Tally made of a session. They need not
// be trusted. It returns false if they cannot be used: see [Usable].
func unpackPieces(s *spending.Scanner, pieces []string) bool {
	var all []spending.Response
	for _, piece := range pieces {
		text, ours := strings.CutPrefix(piece, string([]byte{keptVersion}))
		if !ours || s.Unpack(text) != nil || s.Runs {
			return false
		}
		all = append(all, s.Found...)
	}
	for i := range all {
		f := &all[i]
		for _, n := range [...]*int64{&f.Input, &f.Output, &f.CacheRead, &f.CacheWrite, &f.CacheWrite1h, &f.Tokens, (*int64)(&f.Cost), &f.Unpriced} {
			*n = max(0, *n)
		}
		if y := f.Time.Year(); y < -mostYear || y > mostYear {
			f.Time = time.Time{}
		}
	}
	s.Found = all
	return true
}

// mostYear is the year of the last JavaScript date.
const mostYear = 275760
