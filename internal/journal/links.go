package journal

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync/atomic"
)

// links are the tree of the entries, and their index by ID. States that follow
// one another share the chains.
type links struct {
	ids      *chains // by hash of the ID
	kids     *chains // by parent + 1
	orphans  []int32 // entries whose parent is missing
	problems []Problem
	missing  map[string]bool // parents of the orphans; only link uses it
}

// chains are lists of entries, each from last to first. Adding an entry never
// changes what a reader sees that ignores entries from some index on.
type chains struct {
	head []atomic.Int32 // last entry of each list + 1
	next []int32        // entry before + 1, by entry
}

func newChains(lists, entries int) *chains {
	return &chains{make([]atomic.Int32, lists), make([]int32, entries)}
}

func (c *chains) push(list, i int) {
	c.next[i] = c.head[list].Load()
	c.head[list].Store(int32(i) + 1)
}

// last returns the last entry of a list that is before another, or None.
func (c *chains) last(list, before int) int {
	i := int(c.head[list].Load()) - 1
	for i >= before {
		i = int(c.next[i]) - 1
	}
	return i
}

// before returns the entry of a list before one of it, or None.
func (c *chains) before(i int) int { return int(c.next[i]) - 1 }

// seed prevents a file from choosing IDs that share a list.
var seed = maphash.MakeSeed()

func (l *links) list(id string) int {
	return int(maphash.String(seed, id) & uint64(len(l.ids.head)-1))
}

// findBefore returns the last entry before another that has an ID, or None.
func (s *State) findBefore(id string, before int) int {
	if id == "" || s.ids == nil {
		return None
	}
	i := s.ids.last(s.list(id), before)
	for i != None && s.Entries[i].ID != id {
		i = s.ids.before(i)
	}
	return i
}

// Find returns the last entry with an ID, or None.
func (s *State) Find(id string) int { return s.findBefore(id, len(s.Entries)) }

// FindAll returns the entries with an ID in file order.
func (s *State) FindAll(id string) []int {
	var out []int
	for i := s.Find(id); i != None; i = s.findBefore(id, i) {
		out = append(out, i)
	}
	slices.Reverse(out)
	return out
}

// Above returns the parent of an entry, or None.
func (s *State) Above(i int) int { return int(s.Entries[i].parent) }

// Path returns the entries from a root to an entry, inclusive. The path of None
// is empty.
func (s *State) Path(i int) []int32 {
	n := 0
	for k := i; k != None; k = s.Above(k) {
		n++
	}
	path := make([]int32, n)
	for ; i != None; i = s.Above(i) {
		n--
		path[n] = int32(i)
	}
	return path
}

// IsAncestor reports whether a lies on the path to b, b included.
func (s *State) IsAncestor(a, b int) bool {
	for b != None && b != a {
		b = s.Above(b)
	}
	return b != None
}

// Children returns the direct children of an entry in file order, or the roots
// for None.
func (s *State) Children(i int) []int {
	if s.kids == nil {
		return nil
	}
	var out []int
	for k := s.kids.last(i+1, len(s.Entries)); k != None; k = s.kids.before(k) {
		out = append(out, k)
	}
	slices.Reverse(out)
	return out
}

// Ordered returns the children of an entry in display order: oldest first,
// equal times in file order. An unknown time counts as that of the previous
// sibling, so that it moves nothing (pitfall 86). Roots stay in file order.
func (s *State) Ordered(i int) []int {
	kids := s.Children(i)
	if i == None || len(kids) < 2 {
		return kids
	}
	times, before := make(map[int]int64, len(kids)), int64(NoTime)
	for _, k := range kids {
		if at := s.Entries[k].Time; at != NoTime {
			before = at
		}
		times[k] = before
	}
	slices.SortStableFunc(kids, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	return kids
}

// A Chain is a part of the tree without branches: Len entries from Pos on, each
// the only child of the one before. Parent is the index, in a list of chains, of
// the chain whose last entry is the parent of the first one, or None.
type Chain = struct{ Pos, Len, Parent int32 }

// DepthFirst returns all entries as chains, parents before their children.
// Siblings are in display order, except that the one on the path to leaf comes
// first.
func (s *State) DepthFirst(leaf int) []Chain {
	onPath := make(map[int]bool) // the children on the path that have siblings
	for i := leaf; i != None; i = s.Above(i) {
		if !s.alone(i) {
			onPath[i] = true
		}
	}
	type step struct{ entry, above int }
	var todo []step
	push := func(parent, above int) {
		kids := s.Ordered(parent)
		if k := slices.IndexFunc(kids, func(i int) bool { return onPath[i] }); k > 0 {
			next := kids[k]
			copy(kids[1:k+1], kids[:k])
			kids[0] = next
		}
		for _, k := range slices.Backward(kids) {
			todo = append(todo, step{k, above})
		}
	}
	push(None, None)
	var chains []Chain
	for len(todo) > 0 {
		first := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		last := first.entry
		for last+1 < len(s.Entries) && s.Above(last+1) == last && s.alone(last+1) {
			last++
		}
		chains = append(chains, Chain{int32(first.entry), int32(last + 1 - first.entry), int32(first.above)})
		push(last, len(chains)-1)
	}
	return chains
}

// alone reports whether an entry has no siblings.
func (s *State) alone(i int) bool {
	last := s.kids.last(s.Above(i)+1, len(s.Entries))
	return last == i && s.kids.before(i) == None
}

// link finds the parents of the entries from an index on and adds them to the
// chains. Nothing can fail from here on, so what the chains have stays true.
func (s *State) link(from int) {
	n := len(s.Entries)
	if n == 0 {
		return
	}
	if s.ids == nil || n > len(s.ids.next) {
		size := max(16, 1<<bits.Len(uint(n+n/4)))
		s.ids, s.kids = newChains(size, size), newChains(size+1, size)
		for i := range from {
			s.ids.push(s.list(s.Entries[i].ID), i)
			s.kids.push(s.Above(i)+1, i)
		}
	}
	came := false // a parent that an earlier entry names
	for i := from; i < n; i++ {
		e := &s.Entries[i]
		e.parent = None
		if e.Parent != "" {
			if i > 0 && e.Parent == s.Entries[i-1].ID {
				e.parent = int32(i - 1)
			} else {
				e.parent = int32(s.findBefore(e.Parent, i))
			}
			switch {
			case e.parent != None:
			case e.Parent == e.ID:
				s.problems = append(s.problems, Problem{Kind: SelfParent, Entry: i})
			default:
				s.orphans = append(s.orphans, int32(i))
				s.miss(e.Parent)
			}
		}
		if s.findBefore(e.ID, i) != None {
			s.problems = append(s.problems, Problem{Kind: DuplicateID, Entry: i})
		}
		came = came || s.missing[e.ID]
		s.ids.push(s.list(e.ID), i)
	}
	if came {
		s.join()
		from = 0
	}
	for i := from; i < n; i++ {
		s.kids.push(s.Above(i)+1, i)
	}
}

// join links entries that precede their parents in the file. Such files come
// from programs that reorder entries when they rewrite a file. Only these links
// can form a cycle, so only then join searches for one.
func (s *State) join() {
	s.Entries = slices.Clone(s.Entries) // earlier States keep theirs
	s.kids = newChains(len(s.kids.head), len(s.kids.next))
	orphans := s.orphans
	s.orphans, s.missing = nil, nil
	for _, i := range orphans {
		e := &s.Entries[i]
		if all := s.FindAll(e.Parent); len(all) > 0 {
			e.parent = int32(all[0]) // no earlier entry has the ID, or this would not be an orphan
		} else {
			s.orphans = append(s.orphans, i)
			s.miss(e.Parent)
		}
	}
	s.cutCycles()
}

func (l *links) miss(parent string) {
	if l.missing == nil {
		l.missing = map[string]bool{}
	}
	l.missing[parent] = true
}

// cutCycles makes the first entry of every cycle a root. Each entry is visited
// once: a walk stops at an entry that an earlier walk has seen.
func (s *State) cutCycles() {
	mark := make([]int32, len(s.Entries)) // number of the walk that first visited the entry
	for start := range s.Entries {
		walk := int32(start) + 1
		i := start
		for i != None && mark[i] == 0 {
			mark[i] = walk
			i = s.Above(i)
		}
		if i == None || mark[i] != walk {
			continue
		}
		first := i
		for n := s.Above(i); n != i; n = s.Above(n) {
			first = min(first, n)
		}
		s.Entries[first].parent = None
		s.problems = append(s.problems, Problem{Kind: Cycle, Entry: first})
	}
}

// A ProblemKind is a kind of fault in an entry's links.
type ProblemKind uint8

// The kinds of problems.
const (
	MissingParent ProblemKind = iota + 1 // no entry has the parent's ID; shown as a root
	SelfParent                           // an entry is its own parent; shown as a root
	Cycle                                // an entry is its own ancestor; shown as a root
	DuplicateID                          // an earlier entry has the same ID; both are shown
)

// Code returns the stable name of the kind, for programs.
func (k ProblemKind) Code() string {
	return [...]string{MissingParent: "missing-parent", SelfParent: "self-parent", Cycle: "cycle", DuplicateID: "duplicate-id"}[k]
}

// A Problem is a fault of the tree.
type Problem struct {
	Kind  ProblemKind
	Entry int    // the entry concerned
	ID    string // MissingParent: the missing ID
}

// String returns a sentence about the entry.
func (p Problem) String() string {
	switch p.Kind {
	case MissingParent:
		return fmt.Sprintf("its parent %q is not in the file; shown as a separate root", p.ID)
	case SelfParent:
		return "it is its own parent; shown as a separate root"
	case Cycle:
		return "it is its own ancestor; shown as a separate root"
	}
	return "its ID was used before; both entries are kept"
}

// Problems returns the faults of the tree, in file order of the entries.
func (s *State) Problems() []Problem {
	out := slices.Clone(s.problems)
	for _, i := range s.orphans {
		out = append(out, Problem{Kind: MissingParent, Entry: int(i), ID: s.Entries[i].Parent})
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return a.Entry - b.Entry })
	return out
}
