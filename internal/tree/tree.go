// Package tree links the entries of a session by their parents.
//
// The package is pure: it sees ids, parents and times, never bytes. Walks are
// loops, never recursion, and every walk ends, whatever the file says: parents
// that are missing, entries that are their own ancestors and ids that occur
// twice are [Finding]s, and the tree that is built is always a forest.
//
// A conversation mostly goes on where it stood, so nearly every entry's parent is
// the entry before it. The tree keeps the others alone: what lies between two of
// them is a run. Its size is that of the branching, not that of the session.
//
// # Invariants
//
//	T1  Every entry is in the tree once, under its parent or as a root.
//	T2  A parent id means the last entry of that id before the child; only when there is none, the first one after it.
//	T3  An entry whose parent is missing, or is its own descendant, is a root and a finding.
//	T4  Adding an entry costs the same however many there are.
//	T5  Ids are looked at only when somebody asks for one, or an entry does not follow the one before it.
package tree

import "sort"

// None is the index of no entry: the parent of a root, the leaf before the first entry.
const None = -1

// NoTime marks an entry whose time is unknown. It has the value that package
// envelope uses, so that times pass from there as they are.
const NoTime = -1 << 63

// Entries are what a tree links, in file order. They may become more, but what
// was there never changes.
type Entries interface {
	Len() int
	// ID and Parent are what an entry says; "" where it says nothing, as a root does
	// of its parent. The strings are not kept.
	ID(i int) string
	Parent(i int) string
	// Follows reports whether an entry names the one before it as its parent, and
	// not itself. It may be false for one that does.
	Follows(i int) bool
	// Time is in milliseconds, or NoTime.
	Time(i int) int64
}

// A Tree is a forest of entries in file order. It is not safe for concurrent use.
type Tree struct {
	entries  Entries
	taken    int // how many of the entries are in the tree
	runs     []run
	settled  int // how many of the runs have their parent
	looked   int // how many steps back were taken in search of parents
	ids      ids
	kids     map[int32][]int32 // first entries of runs by their parents, in file order; nil until asked for
	gathered int               // how many of the runs are in kids
	findings []Finding
	waiting  map[string][]int32 // runs whose parent has not been seen, by its id
}

// A run is a stretch of entries that each follow the one before. It ends where
// the next begins.
type run struct {
	first  int32
	parent int32 // of the first entry, or None
}

// New makes the tree of all entries that there are.
func New(entries Entries) *Tree {
	t := &Tree{entries: entries, ids: newIDs(entries)}
	t.Extend()
	return t
}

// Len is the number of entries in the tree.
func (t *Tree) Len() int { return t.taken }

// Extend takes the entries that came since.
func (t *Tree) Extend() {
	for n := t.entries.Len(); t.taken < n; t.taken++ {
		if !t.entries.Follows(t.taken) {
			t.runs = append(t.runs, run{int32(t.taken), None})
		}
	}
}

// Find is the index of the entry with that id, or None. Of several it is the last.
func (t *Tree) Find(id string) int {
	if last := t.taken - 1; last >= 0 && id != "" && t.entries.ID(last) == id {
		return last // the leaf, which is what is mostly asked for
	}
	t.index()
	return int(t.ids.find(id))
}

// FindAll are the indices of all entries with that id, in file order.
func (t *Tree) FindAll(id string) []int {
	t.index()
	var out []int
	for _, i := range t.ids.all(id) {
		out = append(out, int(i))
	}
	return out
}

// runOf is which run an entry is in.
func (t *Tree) runOf(i int) int {
	return sort.Search(len(t.runs), func(k int) bool { return int(t.runs[k].first) > i }) - 1
}

// Parent is the index of an entry's parent, or None.
func (t *Tree) Parent(i int) int {
	t.settle()
	if r := t.runs[t.runOf(i)]; int(r.first) == i {
		return int(r.parent)
	}
	return i - 1
}

// Path is the way from a root down to i, i included. Of None it is empty.
func (t *Tree) Path(i int) Row {
	t.settle()
	var r Row
	for i != None {
		run := t.runs[t.runOf(i)]
		r.stretches = append(r.stretches, stretch{int(run.first), i + 1 - int(run.first)})
		i = int(run.parent)
	}
	r.turn()
	return r
}

// IsAncestor reports whether a lies on the path to b, b included.
func (t *Tree) IsAncestor(a, b int) bool {
	t.settle()
	for b != None {
		run := t.runs[t.runOf(b)]
		if int(run.first) <= a && a <= b {
			return true
		}
		b = int(run.parent)
	}
	return false
}

// Stand is where a session of n entries stands after loading, or None: at its last
// entry, as in the program that wrote it. Only a note (a name or a label) counts no
// more than where it stands: if the last entry is one, and does not hang on the last
// entry that is none, by way of notes alone, then the session stands at that one. A
// name that an old window wrote must not hide what came since (pitfall 77).
func Stand(n int, isNote func(int) bool, parent func(int) int) int {
	last := n - 1
	end := last
	for end >= 0 && isNote(end) {
		end--
	}
	if end < 0 {
		return last
	}
	i := last
	for i != None && isNote(i) {
		i = parent(i)
	}
	if i == end {
		return last
	}
	return end
}
