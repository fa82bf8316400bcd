package tree

import (
	"cmp"
	"slices"
)

// Roots are the entries without a parent, in file order. The slice is the
// caller's.
func (t *Tree) Roots() []int { return t.Children(None) }

// Children are the direct children of i in file order; of None, the roots.
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

// gatherKids sorts the runs by the parents of their first entries.
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

// Forks are the entries that have other children than the entry behind them, in
// file order.
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
