// Package tree links the entries of a session by their parents.
//
// The package is pure: it sees ids, parents and times, never bytes. Walks are
// loops, never recursion, and every walk ends, whatever the file says: parents
// that are missing, entries that are their own ancestors and ids that occur
// twice are [Finding]s, and the tree that is built is always a forest.
//
// # Invariants
//
//	T1  Every entry is in the tree once, under its parent or as a root.
//	T2  A parent id means the last entry of that id before the child; only when there is none, the first one after it.
//	T3  An entry whose parent is missing, or is its own descendant, is a root and a finding.
//	T4  Adding an entry costs the same however many there are.
package tree

import (
	"cmp"
	"slices"
)

// None is the index of no entry: the parent of a root, the leaf before the first entry.
const None = -1

// NoTime marks an entry whose time is unknown. It has the value that package
// envelope uses, so that times pass from there as they are.
const NoTime = -1 << 63

// A Node is one entry as the tree sees it.
type Node struct {
	ID     string
	Parent string // id; "" for a root
	Time   int64  // milliseconds, or NoTime
}

// A Tree is a forest of entries in file order. The zero Tree is empty and ready
// for use. It is not safe for concurrent use.
type Tree struct {
	ids       ids
	times     []int64
	parents   []int32
	first     []int32 // first child
	last      []int32 // last child
	next      []int32 // next sibling, in file order
	roots     []int32
	findings  []Finding
	waiting   map[string][]int32 // entries whose parent has not been seen
	unsettled bool               // a parent that entries wait for has come
}

// Len is the number of entries.
func (t *Tree) Len() int { return len(t.parents) }

// Grow makes room for n more entries.
func (t *Tree) Grow(n int) {
	t.times = grow(t.times, n)
	t.parents, t.first = grow(t.parents, n), grow(t.first, n)
	t.last, t.next = grow(t.last, n), grow(t.next, n)
	t.ids.grow(n)
}

func grow[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return append(make([]T, 0, len(s)+n), s...)
}

// Add takes the next entry of the file and returns its index.
func (t *Tree) Add(n Node) int {
	i := int32(len(t.parents))
	parent := int32(None)
	switch {
	case n.Parent == "":
	case n.Parent == n.ID:
		t.report(Finding{Kind: SelfParent, Entry: int(i)})
	case i > 0 && t.ids.names[i-1] == n.Parent:
		parent = i - 1 // nearly always: a conversation goes on where it stood
	default:
		parent = t.ids.find(n.Parent)
		if parent == None {
			t.await(n.Parent, i)
		}
	}
	if t.ids.put(n.ID, i) {
		t.report(Finding{Kind: DuplicateID, Entry: int(i)})
	}
	if _, ok := t.waiting[n.ID]; ok && n.ID != "" {
		t.unsettled = true
	}
	t.times = append(t.times, n.Time)
	t.parents = append(t.parents, parent)
	t.first, t.last, t.next = append(t.first, None), append(t.last, None), append(t.next, None)
	t.link(i)
	return int(i)
}

// link puts i at the end of its parent's children, or of the roots.
func (t *Tree) link(i int32) {
	p := t.parents[i]
	if p == None {
		t.roots = append(t.roots, i)
		return
	}
	if t.last[p] == None {
		t.first[p] = i
	} else {
		t.next[t.last[p]] = i
	}
	t.last[p] = i
}

func (t *Tree) await(id string, i int32) {
	if t.waiting == nil {
		t.waiting = make(map[string][]int32)
	}
	t.waiting[id] = append(t.waiting[id], i)
}

// Find is the index of the entry with that id, or None. Of several it is the last.
func (t *Tree) Find(id string) int { return int(t.ids.find(id)) }

// Parent is the index of an entry's parent, or None.
func (t *Tree) Parent(i int) int {
	t.settle()
	return int(t.parents[i])
}

// Roots are the entries without a parent, in file order. The slice is the
// caller's.
func (t *Tree) Roots() []int {
	t.settle()
	out := make([]int, len(t.roots))
	for k, i := range t.roots {
		out[k] = int(i)
	}
	return out
}

// Children are the direct children of i in file order; of None, the roots.
func (t *Tree) Children(i int) []int { return t.appendChildren(nil, i) }

func (t *Tree) appendChildren(dst []int, i int) []int {
	if i == None {
		return append(dst, t.Roots()...)
	}
	t.settle()
	for c := t.first[i]; c != None; c = t.next[c] {
		dst = append(dst, int(c))
	}
	return dst
}

// AppendOrdered appends the children of i to dst as they are shown: oldest
// first, equal times in file order. A time that is unknown counts as that of
// the sibling before it, so that it moves nothing (pitfall 86). Roots stay in
// file order.
func (t *Tree) AppendOrdered(dst []int, i int) []int {
	from := len(dst)
	dst = t.appendChildren(dst, i)
	kids := dst[from:]
	if i == None || len(kids) < 2 {
		return dst
	}
	sorted, before := true, int64(NoTime)
	for _, k := range kids {
		if at := t.times[k]; at != NoTime {
			sorted = sorted && at >= before
			before = at
		}
	}
	if !sorted {
		t.sort(kids)
	}
	return dst
}

func (t *Tree) sort(kids []int) {
	times, before := make(map[int]int64, len(kids)), int64(NoTime)
	for _, k := range kids {
		if at := t.times[k]; at != NoTime {
			before = at
		}
		times[k] = before
	}
	slices.SortStableFunc(kids, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
}

// Path is the way from a root down to i, i included. Of None it is empty.
func (t *Tree) Path(i int) []int {
	t.settle()
	n := 0
	for k := int32(i); k != None; k = t.parents[k] {
		n++
	}
	out := make([]int, n)
	for k := int32(i); k != None; k = t.parents[k] {
		n--
		out[n] = int(k)
	}
	return out
}

// CommonAncestor is the deepest entry on the paths to both a and b, or None.
func (t *Tree) CommonAncestor(a, b int) int {
	pa, pb := t.Path(a), t.Path(b)
	common := None
	for k := 0; k < len(pa) && k < len(pb) && pa[k] == pb[k]; k++ {
		common = pa[k]
	}
	return common
}

// IsAncestor reports whether a lies on the path to b, b included.
func (t *Tree) IsAncestor(a, b int) bool {
	t.settle()
	for k := int32(b); k != None; k = t.parents[k] {
		if int(k) == a {
			return true
		}
	}
	return false
}
