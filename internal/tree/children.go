package tree

import (
	"cmp"
	"slices"
)

// Roots returns the entries without a parent, in file order. The caller owns
// the slice.
func (t *Tree) Roots() []int { return t.Children(None) }

// Children returns the direct children of i in file order, or the roots for
// None.
func (t *Tree) Children(i int) []int { return t.appendChildren(nil, i) }

func (t *Tree) appendChildren(dst []int, i int) []int {
	t.settle()
	t.gatherKids()
	next := None // the child that follows i in its run
	if i != None && i+1 < t.taken && t.entries.Follows(i+1) {
		next = i + 1
	}
	for _, k := range t.kids[int32(i)] {
		if next != None && int(k) > next {
			dst = append(dst, next)
			next = None
		}
		dst = append(dst, int(k))
	}
	if next != None {
		dst = append(dst, next)
	}
	return dst
}

// gatherKids groups the runs by the parents of their first entries.
func (t *Tree) gatherKids() {
	from := t.gathered
	if t.kids == nil {
		t.kids, from = make(map[int32][]int32), 0
	}
	for _, r := range t.runs[from:] {
		t.kids[r.parent] = append(t.kids[r.parent], r.first)
	}
	t.gathered = len(t.runs)
}

// Forks returns, in file order, the entries that have a child other than the
// entry after them.
func (t *Tree) Forks() []int {
	t.settle()
	t.gatherKids()
	var out []int
	for i := range t.kids {
		if i != None {
			out = append(out, int(i))
		}
	}
	slices.Sort(out)
	return out
}

// AppendOrdered appends the children of i to dst in display order: oldest
// first, equal times in file order. An unknown time counts as that of the
// previous sibling, so that it moves nothing (pitfall 86). Roots stay in file
// order.
func (t *Tree) AppendOrdered(dst []int, i int) []int {
	from := len(dst)
	dst = t.appendChildren(dst, i)
	kids := dst[from:]
	if i == None || len(kids) < 2 {
		return dst
	}
	sorted, before := true, int64(NoTime)
	for _, k := range kids {
		if at := t.entries.Time(k); at != NoTime {
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
		if at := t.entries.Time(k); at != NoTime {
			before = at
		}
		times[k] = before
	}
	slices.SortStableFunc(kids, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
}

// A Chain is a part of the tree without branches: Len entries from Pos on, each
// the only child of the one before. Parent is the index, in a list of chains, of
// the chain whose last entry is the parent of the first one, or None.
type Chain = struct{ Pos, Len, Parent int32 }

// DepthFirst returns all entries as chains, parents before their children.
// Siblings are in display order, except that the one on the path to leaf comes
// first.
func (t *Tree) DepthFirst(leaf int) []Chain {
	path := t.Path(leaf)
	turns := make(map[int]int, len(path.stretches)) // entry to its child on the path, where that starts a stretch
	before := None
	for k, s := range path.stretches {
		turns[before] = s.first
		before = s.first + path.stretches.len(k) - 1
	}
	type step struct {
		entry, above int32
		onPath       bool
	}
	var todo []step
	var kids []int
	push := func(parent, above int, onPath bool) {
		kids = t.AppendOrdered(kids[:0], parent)
		next := None // the child on the path
		if onPath && parent != leaf {
			turn, ok := turns[parent]
			if next = parent + 1; ok {
				next = turn
			}
		}
		for _, k := range slices.Backward(kids) {
			if k != next {
				todo = append(todo, step{int32(k), int32(above), false})
			}
		}
		if next != None {
			todo = append(todo, step{int32(next), int32(above), true})
		}
	}
	push(None, None, leaf != None)
	forks := t.Forks()
	var chains []Chain
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		first := int(s.entry)
		last := t.taken - 1
		if k := t.runOf(first) + 1; k < len(t.runs) {
			last = int(t.runs[k].first) - 1
		}
		if k, _ := slices.BinarySearch(forks, first); k < len(forks) {
			last = min(last, forks[k])
		}
		chains = append(chains, Chain{s.entry, int32(last + 1 - first), s.above})
		push(last, len(chains)-1, s.onPath && (leaf < first || leaf >= last))
	}
	return chains
}
