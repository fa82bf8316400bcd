// Package outline arranges the tree of a session in rows, as people read it.
//
// Entries are in depth-first order. At a branching point the active path comes
// first. A chain stays flat; entries are indented only where it branches, and
// once more after the first entry of a branch. Hidden entries leave no gap:
// their children are shown below the nearest visible ancestor.
//
// The package uses only the shape of a tree, not the content of entries. It
// draws no colors.
//
// # Invariants
//
//	O1  Every visible entry has one row.
//	O2  Cost is linear in the number of entries; nothing recurses (pitfall 74).
//	O3  The cost of the cells before a row depends only on the drawn part.
//	O4  Memory is linear in the number of chains, and four bytes for each row.
package outline

import (
	"iter"
	"slices"
	"sort"
)

// A Chain is a part of a tree without branches: see [pith.View.DepthFirst].
type Chain = struct{ Pos, Len, Parent int32 }

// None means that there is no row.
const None = -1

// An Outline is the display order of the entries of a session. It does not
// change when the tree does: make a new one.
type Outline struct {
	chains []chain
	size   int     // number of entries
	leaf   int     // place of the leaf in the display order, or None
	end    []int32 // index after the last descendant of each chain; nil until something is folded
}

type chain struct {
	Chain
	start  int32 // place of the first entry in the display order
	depth  int32 // of the first entry
	onPath bool  // the path to the leaf passes through it, or ends in it
}

// New returns the outline of a session's entries in depth-first order. leaf is
// the position of the leaf, or -1.
func New(chains []Chain, leaf int) *Outline {
	o := &Outline{chains: make([]chain, len(chains)), leaf: None}
	for k, c := range chains {
		depth := int32(0)
		if c.Parent != None {
			above := &o.chains[c.Parent]
			depth = above.depth + above.Len
		}
		o.chains[k] = chain{Chain: c, start: int32(o.size), depth: depth}
		o.size += int(c.Len)
	}
	if k, place := o.find(leaf); k != None {
		o.leaf = place
		for ; k != None; k = int(o.chains[k].Parent) {
			o.chains[k].onPath = true
		}
	}
	return o
}

// find returns the chain of the entry at a position, and the place of the entry
// in the display order; or None.
func (o *Outline) find(pos int) (k, place int) {
	for k := range o.chains {
		c := &o.chains[k]
		if at := pos - int(c.Pos); 0 <= at && at < int(c.Len) {
			return k, int(c.start) + at
		}
	}
	return None, None
}

// A Row is one visible entry.
type Row struct {
	Pos    int   // position of the entry
	Parent int   // row of the nearest visible ancestor, or None
	Level  int   // number of cells of indentation
	Depth  int   // number of ancestors, including hidden ones
	turn   int32 // nearest segment with a connector at or above this row, or None
	OnPath bool  // it is on the path to the leaf
	Branch bool  // it is one of several siblings: drawn with a connector
	Last   bool  // it is the last of its siblings
	// Foldable rows start a part that can be hidden: a root, or one of several
	// siblings, with rows below it.
	Foldable bool
	Folded   bool
}

// Rows are the visible entries of an outline, in order. They are safe for
// concurrent use.
type Rows struct {
	o        *Outline
	shown    []int32 // places of the rows in the display order
	segments []segment
}

// A segment contains the rows of a chain. Each is the only child of the one
// before.
type segment struct {
	row    int32 // the first one
	chain  int32
	above  int32 // segment whose last row is the parent of the first one, or None
	level  int32 // of the first row
	turn   int32 // nearest segment with a connector at or above this one, or None
	kids   int32 // number of segments below the last row
	branch bool  // the first row is one of several siblings
	last   bool  // the first row is the last of its siblings
	turned bool  // rows after the first one are indented once more
	folded bool  // the last row is folded
}

// Rows returns the rows of the entries, given by their positions, for which
// visible returns true, without those below a folded one. Either function may be
// nil.
func (o *Outline) Rows(visible, folded func(pos int) bool) *Rows {
	r := &Rows{o: o}
	nearest := make([]int32, len(o.chains)) // segment of the last visible entry of a chain or above it
	tops := int32(0)
	for k := 0; k < len(o.chains); k++ {
		above := int32(None)
		if p := o.chains[k].Parent; p != None {
			above = nearest[p]
		}
		nearest[k] = above
		first := len(r.shown)
		isFolded := r.show(k, visible, folded)
		if first < len(r.shown) {
			nearest[k] = int32(len(r.segments))
			r.segments = append(r.segments, segment{row: int32(first), chain: int32(k), above: above, folded: isFolded})
			if above == None {
				tops++
			} else {
				r.segments[above].kids++
			}
		}
		if isFolded {
			k = int(o.end[k]) - 1
		}
	}
	r.arrange(tops)
	return r
}

// show adds the visible entries of a chain up to a folded one, and reports
// whether there is one.
func (r *Rows) show(k int, visible, folded func(pos int) bool) (isFolded bool) {
	c := &r.o.chains[k]
	for i := range int(c.Len) {
		pos := int(c.Pos) + i
		if visible != nil && !visible(pos) {
			continue
		}
		r.shown = append(r.shown, c.start+int32(i))
		if folded != nil && folded(pos) && r.o.hides(k, i, visible) {
			return true
		}
	}
	return false
}

// hides reports whether the entry at an index of a chain has visible
// descendants.
func (o *Outline) hides(k, i int, visible func(pos int) bool) bool {
	o.findEnds()
	for n, c := range o.chains[k:o.end[k]] {
		from := 0
		if n == 0 {
			from = i + 1
		}
		for ; from < int(c.Len); from++ {
			if visible == nil || visible(int(c.Pos)+from) {
				return true
			}
		}
	}
	return false
}

func (o *Outline) findEnds() {
	if o.end != nil {
		return
	}
	o.end = make([]int32, len(o.chains))
	for k := len(o.chains) - 1; k >= 0; k-- {
		o.end[k] = max(o.end[k], int32(k+1))
		if p := o.chains[k].Parent; p != None {
			o.end[p] = max(o.end[p], o.end[k])
		}
	}
}

// arrange indents the segments. tops is the number of those without a parent.
func (r *Rows) arrange(tops int32) {
	left := make([]int32, len(r.segments)) // children that have not been seen
	several := tops > 1
	for k := range r.segments {
		s := &r.segments[k]
		left[k] = s.kids
		if s.above == None {
			tops--
			s.last, s.turn, s.turned = tops == 0, None, several
			continue
		}
		p := &r.segments[s.above]
		left[s.above]--
		s.last = left[s.above] == 0
		s.branch = p.kids > 1
		level, turned := p.level, p.turned // of the parent
		if turned && r.lastOf(int(s.above)) > int(p.row) {
			level, turned = level+1, false
		}
		s.level = level
		if s.branch || turned {
			s.level++
		}
		s.turn, s.turned = p.turn, s.branch
		if s.branch {
			s.turn = int32(k)
		}
	}
}

// lastOf returns the last row of a segment.
func (r *Rows) lastOf(k int) int {
	if k+1 < len(r.segments) {
		return int(r.segments[k+1].row) - 1
	}
	return len(r.shown) - 1
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.shown) }

// At returns the row with a number.
func (r *Rows) At(i int) Row {
	return r.row(r.segmentOf(i), i, int(r.shown[i]))
}

func (r *Rows) segmentOf(i int) int {
	return sort.Search(len(r.segments), func(k int) bool { return int(r.segments[k].row) > i }) - 1
}

// All yields the rows from one up to, but not including, another.
func (r *Rows) All(from, to int) iter.Seq2[int, Row] {
	return func(yield func(int, Row) bool) {
		if from >= to {
			return
		}
		k := r.segmentOf(from)
		for i := from; i < to; i++ {
			if i > r.lastOf(k) {
				k++
			}
			if !yield(i, r.row(k, i, int(r.shown[i]))) {
				return
			}
		}
	}
}

// row returns row i, which is in segment k and has a place in the display order.
func (r *Rows) row(k, i, place int) Row {
	s := &r.segments[k]
	c := &r.o.chains[s.chain]
	at := place - int(c.start)
	row := Row{
		Pos: int(c.Pos) + at, Depth: int(c.depth) + at, Level: int(s.level), turn: s.turn,
		OnPath: c.onPath && place <= r.o.leaf,
	}
	ends := i == r.lastOf(k)
	row.Folded = ends && s.folded
	if i > int(s.row) {
		row.Parent, row.Last = i-1, true
		if s.turned {
			row.Level++
		}
		return row
	}
	row.Parent, row.Branch, row.Last = None, s.branch, s.last
	if s.above != None {
		row.Parent = r.lastOf(int(s.above))
	}
	row.Foldable = (!ends || s.kids > 0 || s.folded) && (row.Parent == None || row.Branch)
	return row
}

// Nearest returns the row of the entry at a position or of its nearest visible
// ancestor, or None.
func (r *Rows) Nearest(pos int) int {
	for k, place := r.o.find(pos); k != None; {
		c := &r.o.chains[k]
		i, ok := slices.BinarySearch(r.shown, int32(place))
		if ok {
			return i
		}
		if i > 0 && r.shown[i-1] >= c.start {
			return i - 1
		}
		if k = int(c.Parent); k != None {
			place = int(r.o.chains[k].start+r.o.chains[k].Len) - 1
		}
	}
	return None
}
