package doctor

import "github.com/pith-sessions/pith/internal/journal"

// A forest determines in constant time whether one entry is an ancestor of
// another. It does not follow later changes of the parents.
type forest struct {
	parents []int32
	enter   []int32 // preorder number
	leave   []int32 // preorder number of the last entry of its subtree
	depth   []int32 // roots have depth 0
	jump    []int32 // a distant ancestor, so that a climb takes few steps; a root's own index
	first   []int32 // first child in file order, or None
}

// newForest numbers the entries in one traversal, without recursion. The
// parents must form a forest.
func newForest(parents []int32) *forest {
	n := len(parents)
	f := &forest{parents: parents, enter: make([]int32, n), leave: make([]int32, n), depth: make([]int32, n), jump: make([]int32, n)}
	first, next := make([]int32, n), make([]int32, n)
	f.first = first
	for i := range first {
		first[i], next[i] = journal.None, journal.None
	}
	roots := int32(journal.None)
	for i := n - 1; i >= 0; i-- { // backwards, so that lists are in file order
		if p := parents[i]; p != journal.None {
			next[i], first[p] = first[p], int32(i)
		} else {
			next[i], roots = roots, int32(i)
		}
	}
	clock := int32(0)
	for i := roots; i != journal.None; {
		f.enter[i] = clock
		f.place(i)
		clock++
		if first[i] != journal.None {
			i = first[i]
			continue
		}
		for i != journal.None {
			f.leave[i] = clock - 1
			if next[i] != journal.None {
				i = next[i]
				break
			}
			i = parents[i]
		}
	}
	return f
}

// place sets the depth and the jump of an entry, after its parent's. The
// lengths of jumps follow the skew binary numbers.
func (f *forest) place(i int32) {
	p := f.parents[i]
	if p == journal.None {
		f.jump[i] = i
		return
	}
	f.depth[i] = f.depth[p] + 1
	f.jump[i] = p
	if far := f.jump[p]; f.depth[p]-f.depth[far] == f.depth[far]-f.depth[f.jump[far]] {
		f.jump[i] = f.jump[far]
	}
}

// climb returns the first entry from i up for which holds is true, or None.
// holds must be true for all ancestors of that entry.
func (f *forest) climb(i int, holds func(int) bool) int {
	for !holds(i) {
		switch {
		case f.parents[i] == journal.None:
			return journal.None
		case !holds(int(f.jump[i])):
			i = int(f.jump[i])
		default:
			i = int(f.parents[i])
		}
	}
	return i
}

// above reports whether a is a proper ancestor of b.
func (f *forest) above(a, b int) bool {
	return a != b && f.enter[a] <= f.enter[b] && f.leave[b] <= f.leave[a]
}

// path returns the path from a root down to i, inclusive. The path of None is
// empty.
func (f *forest) path(i int) []int {
	if i == journal.None {
		return nil
	}
	out := make([]int, f.depth[i]+1)
	for k := int32(i); k != journal.None; k = f.parents[k] {
		out[f.depth[k]] = int(k)
	}
	return out
}

// sets finds the root of an entry while roots are being attached to other
// entries.
type sets []int32

func newSets(parents []int32) sets {
	s := make(sets, len(parents))
	for i, p := range parents {
		s[i] = p
		if p == journal.None {
			s[i] = int32(i)
		}
	}
	return s
}

// root returns the current root of the tree that contains i.
func (s sets) root(i int) int {
	top := int32(i)
	for s[top] != top {
		top = s[top]
	}
	for k := int32(i); s[k] != top; {
		k, s[k] = s[k], top
	}
	return int(top)
}
