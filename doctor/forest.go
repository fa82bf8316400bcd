package doctor

import (
	"iter"

	"github.com/pith-sessions/pith/internal/tree"
)

// A forest answers at once whether one entry is an ancestor of another. It is
// made for the parents that it is given and does not follow their changes.
type forest struct {
	parents []int32
	enter   []int32 // when a walk over the forest comes to an entry
	leave   []int32 // the last entry of its subtree came then
	depth   []int32 // roots have 0
	jump    []int32 // an ancestor far up, so that a climb takes few steps; of a root itself
	first   []int32 // the first child, in file order, or None
	next    []int32 // the next child of the same parent, or None
}

// newForest numbers the entries by one walk, without recursion. The parents must
// form a forest.
func newForest(parents []int32) *forest {
	n := len(parents)
	f := &forest{parents: parents, enter: make([]int32, n), leave: make([]int32, n), depth: make([]int32, n), jump: make([]int32, n)}
	first, next := make([]int32, n), make([]int32, n)
	f.first, f.next = first, next
	for i := range first {
		first[i], next[i] = tree.None, tree.None
	}
	roots := int32(tree.None)
	for i := n - 1; i >= 0; i-- { // from the back, so that lists are in file order
		if p := parents[i]; p != tree.None {
			next[i], first[p] = first[p], int32(i)
		} else {
			next[i], roots = roots, int32(i)
		}
	}
	clock := int32(0)
	for i := roots; i != tree.None; {
		f.enter[i] = clock
		f.place(i)
		clock++
		if first[i] != tree.None {
			i = first[i]
			continue
		}
		for i != tree.None {
			f.leave[i] = clock - 1
			if next[i] != tree.None {
				i = next[i]
				break
			}
			i = parents[i]
		}
	}
	return f
}

// place gives an entry, whose parent has one, its depth and its jump. Jumps double
// from entry to entry as the digits of a skew binary number do.
func (f *forest) place(i int32) {
	p := f.parents[i]
	if p == tree.None {
		f.jump[i] = i
		return
	}
	f.depth[i] = f.depth[p] + 1
	f.jump[i] = p
	if far := f.jump[p]; f.depth[p]-f.depth[far] == f.depth[far]-f.depth[f.jump[far]] {
		f.jump[i] = f.jump[far]
	}
}

// climb is the first entry from i up for which there holds what holds for all
// above it, or None.
func (f *forest) climb(i int, holds func(int) bool) int {
	for !holds(i) {
		switch {
		case f.parents[i] == tree.None:
			return tree.None
		case !holds(int(f.jump[i])):
			i = int(f.jump[i])
		default:
			i = int(f.parents[i])
		}
	}
	return i
}

// above reports whether a lies on the path to b, b excluded.
func (f *forest) above(a, b int) bool {
	return a != b && f.enter[a] <= f.enter[b] && f.leave[b] <= f.leave[a]
}

// children are the entries right below i, in file order.
func (f *forest) children(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := f.first[i]; k != tree.None && yield(int(k)); k = f.next[k] {
		}
	}
}

// onlyChild is the entry right below i, if there is one alone.
func (f *forest) onlyChild(i int) (int, bool) {
	k := f.first[i]
	return int(k), k != tree.None && f.next[k] == tree.None
}

// path is the way from a root down to i, i included. Of None it is empty.
func (f *forest) path(i int) []int {
	if i == tree.None {
		return nil
	}
	out := make([]int, f.depth[i]+1)
	for k := int32(i); k != tree.None; k = f.parents[k] {
		out[f.depth[k]] = int(k)
	}
	return out
}

// sets finds the root of an entry while roots are being hung below others.
type sets []int32

func newSets(parents []int32) sets {
	s := make(sets, len(parents))
	for i, p := range parents {
		s[i] = p
		if p == tree.None {
			s[i] = int32(i)
		}
	}
	return s
}

// root is the root of the tree that i is in now.
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

// hang puts the tree of a root below another entry.
func (s sets) hang(root, under int) { s[root] = int32(s.root(under)) }
