package inspect

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/bitset"
	"github.com/pith-sessions/pith/internal/longline"
)

// A Scope selects the entries of a session to read.
type Scope struct {
	// Leaf is the last entry of the path. "" means the session's leaf.
	Leaf string
	// AllBranches reads every entry, in file order, instead of a path.
	AllBranches bool
	// Short cuts texts of more than half a megabyte in lines over 6 MB, so that
	// memory is bounded. [Reading.Shortened] reports whether it did.
	Short bool
}

// A Reading is a session as turns. It is a snapshot of the envelopes; lines
// are read from the session on demand, so the session must stay open. A Reading
// is not safe for concurrent use: see [Reading.Another].
type Reading struct {
	s     *pith.Session
	view  *pith.View
	scope Scope // with a resolved Leaf
	lines *pith.Reader
	path  path // of the entries to read, in order
	// starts has the index of the first entry of every turn, in path.
	starts bitset.Set
	turns  int
	// before is set if the first turn does not start with a user message.
	before bool
	// jumps is set for readings of all branches: it maps the index of an entry
	// that does not continue the previous one to its parent.
	jumps map[int]string
	// shortened is set if a line was shortened; shared by all readings that
	// Another returned.
	shortened *atomic.Bool
}

// Open finds the turns of a session. It reads no line. The error matches
// [pith.ErrNoEntry] if the leaf does not exist.
func Open(s *pith.Session, scope Scope) (*Reading, error) {
	v := s.View()
	r := (&Reading{s: s, view: v, scope: scope, shortened: new(atomic.Bool)}).Another()
	if scope.AllBranches {
		if n := v.Len(); n > 0 {
			r.path = path{{0, n}}
		}
		r.jumps = jumpsOf(v)
	} else {
		leaf := v.Leaf()
		if scope.Leaf != "" {
			pos, err := v.Find(scope.Leaf)
			if err != nil {
				return nil, err
			}
			leaf = pos
		}
		r.path = pathTo(v, leaf)
		if n := r.path.len(); n > 0 {
			r.scope.Leaf = r.at(n - 1).ID
		}
	}
	r.divide()
	return r, nil
}

// LeafThrough returns the leaf of a path that contains an entry: "" for the
// session's own leaf, or the end of the newest branch below the entry.
func LeafThrough(v *pith.View, id string) string {
	path, err := v.Path("")
	if pos, missing := v.Find(id); missing != nil || err == nil && slices.Contains(path, pos) {
		return ""
	}
	for range v.Len() { // a damaged file can contain a cycle
		children, err := v.Children(id)
		if err != nil || len(children) == 0 {
			break
		}
		id = v.At(children[len(children)-1]).ID
	}
	return id
}

// Another returns the same reading for another goroutine.
func (r *Reading) Another() *Reading {
	other := *r
	other.lines = r.view.Reader()
	if r.scope.Short {
		other.lines.ReadLong = func(_ int, line *io.SectionReader) ([]byte, error) {
			raw, cut, err := longline.Short(line)
			if cut {
				r.shortened.Store(true)
			}
			return raw, err
		}
	}
	return &other
}

// Shortened reports whether texts of lines read so far were cut: see
// [Scope.Short].
func (r *Reading) Shortened() bool { return r.shortened.Load() }

// divide finds the boundaries: every user message starts a turn.
func (r *Reading) divide() {
	n := r.path.len()
	r.starts = bitset.New(n)
	for i := range n {
		if i == 0 || r.begins(i) {
			r.starts.Add(i)
		}
	}
	r.turns = r.starts.Count()
	r.before = n > 0 && !r.begins(0)
}

// begins reports whether an entry, given by its index, is a user message.
func (r *Reading) begins(k int) bool {
	kind, role := r.view.Kind(r.path.at(k))
	return kind == format.TypeMessage && role == format.RoleUser
}

// span returns the range of entries of a turn, by index.
func (r *Reading) span(i int) (from, to int) {
	from = r.starts.Select(i)
	if i+1 == r.turns {
		return from, r.path.len()
	}
	return from, r.starts.Next(from + 1)
}

// at returns the envelope of an entry, given by its index.
func (r *Reading) at(k int) pith.Envelope { return r.view.At(r.path.at(k)) }

// jumpsOf returns the entries, in file order, that do not continue the previous
// one, and their parents. It skips bookkeeping, which may be attached anywhere.
func jumpsOf(v *pith.View) map[int]string {
	jumps := map[int]string{}
	over := map[string]string{} // id of a skipped entry to the entry that it follows
	last := ""
	for i := range v.Len() {
		e := v.At(i)
		parent := e.ParentID
		if p, ok := over[parent]; ok {
			parent = p
		}
		switch e.Type {
		case format.TypeLabel, format.TypeSessionInfo, format.TypeCustom, format.TypeUsage:
			over[e.ID] = parent
			continue
		}
		if parent != last {
			jumps[i] = parent
		}
		last = e.ID
	}
	return jumps
}

// Len returns the number of turns. Entries before the first user message
// also form one.
func (r *Reading) Len() int { return r.turns }

// Entries returns the number of entries in all turns.
func (r *Reading) Entries() int { return r.path.len() }

// Number returns the number of the turn at an index: user messages are
// counted from 1, and entries before the first have number 0.
func (r *Reading) Number(i int) int {
	if r.before {
		return i
	}
	return i + 1
}

// Index returns the index of the turn with a number.
func (r *Reading) Index(number int) (int, error) {
	i := number
	if !r.before {
		i--
	}
	if i < 0 || i >= r.Len() {
		return 0, fmt.Errorf("turn %d: %w", number, ErrNoTurn)
	}
	return i, nil
}

// Holding returns the index of the turn that contains an entry.
func (r *Reading) Holding(id string) (int, error) {
	for k := r.path.len() - 1; k >= 0; k-- {
		if r.at(k).ID == id {
			return r.starts.Rank(k+1) - 1, nil
		}
	}
	return 0, fmt.Errorf("%q: %w on this path", id, pith.ErrNoEntry)
}

// Envelopes returns the envelopes of the entries of a turn, in order,
// without reading lines.
func (r *Reading) Envelopes(i int) []pith.Envelope {
	from, to := r.span(i)
	list := make([]pith.Envelope, 0, to-from)
	for k := from; k < to; k++ {
		list = append(list, r.at(k))
	}
	return list
}

// Lines yields the entries of turns, given by their indices, without
// decoding them. The bytes of a line are valid until the next read from this
// Reading. An error is yielded once and ends the sequence.
func (r *Reading) Lines(indexes ...int) iter.Seq2[pith.Line, error] {
	return func(yield func(pith.Line, error) bool) {
		indexes := indexes
		var positions []int
		for len(indexes) > 0 {
			n := 1 // the number of consecutive turns, which are read together
			for n < len(indexes) && indexes[n] == indexes[n-1]+1 {
				n++
			}
			from, _ := r.span(indexes[0])
			_, to := r.span(indexes[n-1])
			indexes = indexes[n:]
			for ; from < to; from += linesAtOnce {
				positions = r.path.positions(positions[:0], from, min(to, from+linesAtOnce))
				for line, err := range r.lines.LinesAt(positions) {
					if !yield(line, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// linesAtOnce is the number of entries that are read together.
const linesAtOnce = 1024

// ErrNoTurn means that a session has no turn with that number.
var ErrNoTurn = errors.New("no such turn")

// ErrChoice means that a choice of turns is invalid.
var ErrChoice = errors.New("invalid choice")
