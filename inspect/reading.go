package inspect

import (
	"fmt"
	"iter"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A Scope says which entries of a session are read.
type Scope struct {
	// Leaf is the entry at which the path ends. "" means where the session stands.
	Leaf string
	// AllBranches reads every entry, in file order, instead of a path.
	AllBranches bool
}

// A Reading is a session as exchanges. It is a snapshot of the envelopes; lines
// are read from the session when they are asked for, so it must stay open. It
// must not be used by two goroutines at once: see [Reading.Another].
type Reading struct {
	s     *pith.Session
	view  *pith.View
	scope Scope // its Leaf is resolved
	lines *pith.Reader
	path  []int // positions of the entries that are read, in order
	spans []span
	// jumps is set for readings of all branches: the entries at which the
	// conversation goes on elsewhere, by index, and where.
	jumps map[int]string
}

// A span is the entries of one exchange, by index.
type span struct{ number, from, to int }

// Open finds the exchanges of a session. No line is read. The error matches
// [pith.ErrNoEntry] when the leaf does not exist.
func Open(s *pith.Session, scope Scope) (*Reading, error) {
	v := s.View()
	r := &Reading{s: s, view: v, scope: scope, lines: v.Reader()}
	if scope.AllBranches {
		r.path = make([]int, v.Len())
		for pos := range r.path {
			r.path[pos] = pos
		}
		r.jumps = jumpsOf(v)
	} else {
		path, err := v.Path(scope.Leaf)
		if err != nil {
			return nil, err
		}
		r.path = path
		if n := len(path); n > 0 {
			r.scope.Leaf = r.at(n - 1).ID
		}
	}
	r.divide()
	return r, nil
}

// LeafThrough is the leaf of a path on which an entry lies: "" for where the session
// stands, or the end of the newest branch behind the entry.
func LeafThrough(v *pith.View, id string) string {
	path, err := v.Path("")
	if pos, missing := v.Find(id); missing != nil || err == nil && slices.Contains(path, pos) {
		return ""
	}
	for range v.Len() { // a damaged file can hold a circle
		children, err := v.Children(id)
		if err != nil || len(children) == 0 {
			break
		}
		id = v.At(children[len(children)-1]).ID
	}
	return id
}

// Another is the same reading for another goroutine.
func (r *Reading) Another() *Reading {
	other := *r
	other.lines = r.view.Reader()
	return &other
}

// divide finds the boundaries: every message of the user begins an exchange.
func (r *Reading) divide() {
	number := 0
	for i := range r.path {
		e := r.at(i)
		begins := e.Type == format.TypeMessage && e.Role == format.RoleUser
		if begins {
			number++
		}
		if begins || i == 0 {
			r.spans = append(r.spans, span{number: number, from: i})
		}
		r.spans[len(r.spans)-1].to = i + 1
	}
}

// at is what is known of an entry, given by its index.
func (r *Reading) at(k int) pith.Envelope { return r.view.At(r.path[k]) }

// jumpsOf tells at which entries, in file order, the conversation goes on
// elsewhere than at the entry before, and where. Bookkeeping, which may hang
// anywhere, is passed over.
func jumpsOf(v *pith.View) map[int]string {
	jumps := map[int]string{}
	over := map[string]string{} // id of an entry that is passed over to what it follows
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

// Len is how many exchanges there are. What comes before the first message of
// the user is one too.
func (r *Reading) Len() int { return len(r.spans) }

// Entries is how many entries there are in all exchanges.
func (r *Reading) Entries() int { return len(r.path) }

// Number is the number of an exchange by its index: 0 for what comes before the
// first message of the user, and the messages of the user counted from 1.
func (r *Reading) Number(i int) int { return r.spans[i].number }

// Index is the index of the exchange with a number.
func (r *Reading) Index(number int) (int, error) {
	for _, i := range []int{number, number - 1} {
		if i >= 0 && i < len(r.spans) && r.spans[i].number == number {
			return i, nil
		}
	}
	return 0, fmt.Errorf("exchange %d: %w", number, ErrNoExchange)
}

// Holding is the index of the exchange that an entry is in.
func (r *Reading) Holding(id string) (int, error) {
	for i := len(r.spans) - 1; i >= 0; i-- {
		for k := r.spans[i].from; k < r.spans[i].to; k++ {
			if r.at(k).ID == id {
				return i, nil
			}
		}
	}
	return 0, fmt.Errorf("%q: %w on this path", id, pith.ErrNoEntry)
}

// Envelopes are what is known of the entries of an exchange without reading them,
// in order.
func (r *Reading) Envelopes(i int) []pith.Envelope {
	list := make([]pith.Envelope, 0, r.spans[i].to-r.spans[i].from)
	for k := r.spans[i].from; k < r.spans[i].to; k++ {
		list = append(list, r.at(k))
	}
	return list
}

// Lines yields the entries of exchanges, given by their indexes, without decoding
// them. The bytes of a line stay valid until another one is read from this
// Reading. An error comes once, last.
func (r *Reading) Lines(indexes ...int) iter.Seq2[pith.Line, error] {
	var positions []int
	for _, i := range indexes {
		for k := r.spans[i].from; k < r.spans[i].to; k++ {
			positions = append(positions, r.path[k])
		}
	}
	return r.lines.LinesAt(positions)
}
