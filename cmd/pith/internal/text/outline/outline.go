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
//	O2  Cost and memory are linear in the number of entries; nothing recurses (pitfall 74).
//	O3  The cost of the cells before a row depends only on the drawn part.
package outline

import (
	"iter"
	"slices"

	"github.com/pith-sessions/pith"
)

// None means that there is no row.
const None = -1

// An Outline is the display order of the entries of a session. It does not
// change when the tree does: make a new one.
type Outline struct {
	nodes []*pith.Node
	above []int32 // index of the parent in nodes, or None
	end   []int32 // index after the last descendant
}

// New returns the outline of a session's tree, given its roots.
func New(roots []*pith.Node) *Outline {
	type step struct {
		node  *pith.Node
		above int32
	}
	o := &Outline{}
	var todo []step
	push := func(siblings []*pith.Node, above int32) {
		active := None
		for i := len(siblings) - 1; i >= 0; i-- {
			if siblings[i].OnPath && active == None {
				active = i
				continue
			}
			todo = append(todo, step{siblings[i], above})
		}
		if active != None {
			todo = append(todo, step{siblings[active], above})
		}
	}
	push(roots, None)
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		o.nodes = append(o.nodes, s.node)
		o.above = append(o.above, s.above)
		push(s.node.Children, int32(len(o.nodes)-1))
	}
	o.end = make([]int32, len(o.nodes))
	for i := len(o.nodes) - 1; i >= 0; i-- {
		o.end[i] = max(o.end[i], int32(i+1))
		if p := o.above[i]; p != None {
			o.end[p] = max(o.end[p], o.end[i])
		}
	}
	return o
}

// Len returns the number of entries.
func (o *Outline) Len() int { return len(o.nodes) }

// Nodes returns the entries in display order. The slice must not be modified.
func (o *Outline) Nodes() []*pith.Node { return o.nodes }

// Ancestors yields an entry and its ancestors, up to its root.
func (o *Outline) Ancestors(n *pith.Node) iter.Seq[*pith.Node] {
	return func(yield func(*pith.Node) bool) {
		i := int32(slices.Index(o.nodes, n))
		for i != None && yield(o.nodes[i]) {
			i = o.above[i]
		}
	}
}

// A Row is one visible entry.
type Row struct {
	Node   *pith.Node
	Parent int  // row of the nearest visible ancestor, or None
	Level  int  // number of cells of indentation
	Branch bool // it is one of several siblings: drawn with a connector
	Last   bool // it is the last of its siblings
	// Foldable rows start a part that can be hidden: a root, or one of several
	// siblings, with rows below it.
	Foldable bool
	Folded   bool

	kids, seen int32
	turned     bool // following rows are indented once more
	depth      int32
	turn       int32 // nearest row with a connector at or above this one, or None
}

// Rows returns the rows of the entries for which visible returns true, without
// those below a folded one. Either function may be nil.
func (o *Outline) Rows(visible, folded func(*pith.Node) bool) []Row {
	rows := o.shown(visible, folded)
	tops, seenTops := int32(0), int32(0)
	for i := range rows {
		if p := rows[i].Parent; p != None {
			rows[p].kids++
		} else {
			tops++
		}
	}
	for i := range rows {
		r := &rows[i]
		if r.Parent == None {
			seenTops++
			r.Last = seenTops == tops
			r.turn = None
			if tops > 1 {
				r.depth, r.turned = 1, true
			}
		} else {
			r.under(&rows[r.Parent])
			r.turn = rows[r.Parent].turn
		}
		if r.Branch {
			r.turn = int32(i)
		}
		r.Level = int(r.depth)
		if tops > 1 {
			r.Level--
		}
		r.Foldable = (r.kids > 0 || r.Folded) && (r.Parent == None || r.Branch)
	}
	return rows
}

// under indents a row below its parent.
func (r *Row) under(p *Row) {
	p.seen++
	r.Last = p.seen == p.kids
	r.Branch = p.kids > 1
	r.turned = r.Branch
	r.depth = p.depth
	if r.Branch || p.turned && p.depth > 0 {
		r.depth++
	}
}

// shown returns the rows with only their parents set.
func (o *Outline) shown(visible, folded func(*pith.Node) bool) []Row {
	rows := make([]Row, 0, len(o.nodes))
	place := make([]int32, len(o.nodes)) // the row of an entry, or of its nearest visible ancestor
	for i := 0; i < len(o.nodes); i++ {
		n := o.nodes[i]
		place[i] = None
		if p := o.above[i]; p != None {
			place[i] = place[p]
		}
		if visible != nil && !visible(n) {
			continue
		}
		rows = append(rows, Row{Node: n, Parent: int(place[i])})
		place[i] = int32(len(rows) - 1)
		if folded != nil && folded(n) && o.hides(i, visible) {
			rows[len(rows)-1].Folded = true
			i = int(o.end[i]) - 1
		}
	}
	return rows
}

// hides reports whether an entry has visible descendants.
func (o *Outline) hides(i int, visible func(*pith.Node) bool) bool {
	for k := i + 1; k < int(o.end[i]); k++ {
		if visible == nil || visible(o.nodes[k]) {
			return true
		}
	}
	return false
}
