package inspect

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A Scope selects the entries of a session to read.
type Scope struct {
	// Leaf is the last entry of the path. "" means the session's leaf.
	Leaf string
	// AllBranches reads every entry, in file order, instead of a path.
	AllBranches bool
}

// A Reading is a session as turns. It is a snapshot of the envelopes; lines
// are read from the session on demand, so the session must stay open. A Reading
// is not safe for concurrent use: see [Reading.Another].
type Reading struct {
	s     *pith.Session
	view  *pith.View
	scope Scope // with a resolved Leaf
	lines *pith.Reader
	path  []int // positions of the entries to read, in order
	// starts has the index of the first entry of every turn, in path.
	starts []int
	// before is set if the first turn does not start with a user message.
	before bool
	// jumps is set for readings of all branches: it maps the index of an entry
	// that does not continue the previous one to its parent.
	jumps map[int]string
}

// Open finds the turns of a session. It reads no line. The error matches
// [pith.ErrNoEntry] if the leaf does not exist.
func Open(s *pith.Session, scope Scope) (*Reading, error) {
	v := s.View()
	r := (&Reading{s: s, view: v, scope: scope}).Another()
	if scope.AllBranches {
		r.path, r.jumps = between(0, v.Len()), jumpsOf(v)
	} else {
		var err error
		if r.path, err = v.Path(scope.Leaf); err != nil {
			return nil, err
		}
		if n := len(r.path); n > 0 {
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
	return &other
}

// divide finds the boundaries: every user message starts a turn.
func (r *Reading) divide() {
	for i := range r.path {
		if i == 0 || r.begins(i) {
			r.starts = append(r.starts, i)
		}
	}
	r.before = len(r.path) > 0 && !r.begins(0)
}

// begins reports whether an entry, given by its index, is a user message.
func (r *Reading) begins(k int) bool {
	kind, role := r.view.Kind(r.path[k])
	return kind == format.TypeMessage && role == format.RoleUser
}

// span returns the range of entries of a turn, by index.
func (r *Reading) span(i int) (from, to int) {
	if i+1 == len(r.starts) {
		return r.starts[i], len(r.path)
	}
	return r.starts[i], r.starts[i+1]
}

// at returns the envelope of an entry, given by its index.
func (r *Reading) at(k int) pith.Envelope { return r.view.At(r.path[k]) }

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
func (r *Reading) Len() int { return len(r.starts) }

// Entries returns the number of entries in all turns.
func (r *Reading) Entries() int { return len(r.path) }

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
	for k := len(r.path) - 1; k >= 0; k-- {
		if r.at(k).ID == id {
			after, _ := slices.BinarySearch(r.starts, k+1)
			return after - 1, nil
		}
	}
	return 0, fmt.Errorf("%q: %w on this path", id, pith.ErrNoEntry)
}

// Lines yields the entries of turns, given by their indices, without
// decoding them. The bytes of a line are valid until the next read from this
// Reading. An error is yielded once and ends the sequence.
func (r *Reading) Lines(indexes ...int) iter.Seq2[pith.Line, error] {
	return func(yield func(pith.Line, error) bool) {
		for indexes := indexes; len(indexes) > 0; {
			n := 1 // the number of consecutive turns, which are read together
			for n < len(indexes) && indexes[n] == indexes[n-1]+1 {
				n++
			}
			from, _ := r.span(indexes[0])
			_, to := r.span(indexes[n-1])
			indexes = indexes[n:]
			for line, err := range r.lines.LinesAt(r.path[from:to]) {
				if !yield(line, err) || err != nil {
					return
				}
			}
		}
	}
}

// ErrNoTurn means that a session has no turn with that number.
var ErrNoTurn = errors.New("no such turn")

// ErrChoice means that a choice of turns is invalid.
var ErrChoice = errors.New("invalid choice")
