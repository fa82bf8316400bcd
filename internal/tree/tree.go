// Package tree links the entries of a session by their parents.
//
// The package is pure: it sees ids, parents and times, never bytes. It never
// recurses, and every walk terminates, whatever the file contains: missing
// parents, entries that are their own ancestors and duplicate ids are
// [Finding]s, and the result is always a forest.
//
// Conversations are mostly linear, so the parent of nearly every entry is the
// entry before it. The tree stores only the exceptions; the entries between two
// of them form a run. Its size depends on the number of branches, not on the
// length of the session.
//
// # Invariants
//
//	T1  Every entry is in the tree once, under its parent or as a root.
//	T2  A parent id means the last entry of that id before the child; only when there is none, the first one after it.
//	T3  An entry whose parent is missing, or is its own descendant, is a root and a finding.
//	T4  Adding an entry costs the same however many there are.
//	T5  Ids are looked at only for a lookup, or when an entry does not follow the one before it.
package tree

import "sort"

// None is the index of no entry: the parent of a root, or the leaf before the
// first entry.
const None = -1

// NoTime marks an entry whose time is unknown. It equals envelope.NoTime, so
// that times need no conversion.
const NoTime = -1 << 63

// Entries is the input of a tree, in file order. Entries may be added, but
// existing ones never change.
type Entries interface {
	Len() int
	// AppendID appends the id of an entry, if it has one.
	AppendID(dst []byte, i int) []byte
	// Parent returns the id of an entry's parent, or "".
	Parent(i int) string
	// Follows reports whether an entry names the one before it as its parent,
	// and not itself. It may return false even then.
	Follows(i int) bool
	// Time is in milliseconds, or NoTime.
	Time(i int) int64
}

// A Tree is a forest of entries in file order. It is not safe for concurrent use.
type Tree struct {
	entries  Entries
	taken    int // number of entries in the tree
	runs     []run
	settled  int // number of runs whose parent is known
	looked   int // number of steps back taken in search of parents
	ids      ids
	kids     map[int32][]int32 // first entries of runs by parent, in file order; nil until needed
	gathered int               // number of runs in kids
	findings []Finding
	waiting  map[string][]int32 // runs whose parent has not been seen, by its id
}

// A run is a stretch of entries that each follow the one before. It ends where
// the next run starts.
type run struct {
	first  int32
	parent int32 // parent of the first entry, or None
}

// New returns the tree of the given entries.
func New(entries Entries) *Tree {
	t := &Tree{entries: entries, ids: newIDs(entries)}
	t.Extend()
	return t
}

// Len returns the number of entries in the tree.
func (t *Tree) Len() int { return t.taken }

// Extend adds the entries that are not yet in the tree.
func (t *Tree) Extend() {
	for n := t.entries.Len(); t.taken < n; t.taken++ {
		if !t.entries.Follows(t.taken) {
			t.runs = append(t.runs, run{int32(t.taken), None})
		}
	}
}

// Find returns the index of the last entry with that id, or None.
func (t *Tree) Find(id string) int {
	if last := t.taken - 1; last >= 0 && id != "" && t.ids.has(last, []byte(id)) {
		return last // the leaf, which is the most common lookup
	}
	t.index()
	return int(t.ids.find([]byte(id)))
}

// FindAll returns the indices of all entries with that id, in file order.
func (t *Tree) FindAll(id string) []int {
	t.index()
	var out []int
	for _, i := range t.ids.all([]byte(id)) {
		out = append(out, int(i))
	}
	return out
}

func (t *Tree) runOf(i int) int {
	return sort.Search(len(t.runs), func(k int) bool { return int(t.runs[k].first) > i }) - 1
}

// Parent returns the index of an entry's parent, or None.
func (t *Tree) Parent(i int) int {
	t.settle()
	if r := t.runs[t.runOf(i)]; int(r.first) == i {
		return int(r.parent)
	}
	return i - 1
}

// Path returns the path from a root down to i, inclusive. The path of None is
// empty.
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
