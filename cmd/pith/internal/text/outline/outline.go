// Package outline lays the tree of a session out in rows, as people read it.
//
// Entries come depth first. At a branching the active path comes first. A chain
// stays flat; only where it branches is what follows set in, and once more
// behind the first entry of a branch. Entries that are not shown leave no gap:
// what hangs below them hangs below the nearest one that is shown.
//
// The package sees the shape of a tree and nothing of what entries say. It
// draws no colours.
//
// # Invariants
//
//	O1  Every entry that is shown has one row.
//	O2  Cost and memory are linear in the number of entries; nothing recurses (pitfall 74).
//	O3  The cells before a row cost what is drawn of them, whatever lies around it.
package outline

import (
	"iter"
	"slices"

	"github.com/pith-sessions/pith"
)

// None is the row of no entry.
const None = -1

// An Outline is the order in which the entries of a session are read. It does
// not change when the tree does: make a new one.
type Outline struct {
	nodes []*pith.Node
	above []int32 // parent's place in nodes, or None
	end   []int32 // behind the last descendant
}

// New takes the roots of a session's tree.
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

// Len is the number of entries.
func (o *Outline) Len() int { return len(o.nodes) }

// Nodes are the entries in the order of display. The slice must not be changed.
func (o *Outline) Nodes() []*pith.Node { return o.nodes }

// Ancestors yields an entry and those above it, up to its root.
func (o *Outline) Ancestors(n *pith.Node) iter.Seq[*pith.Node] {
	return func(yield func(*pith.Node) bool) {
		i := int32(slices.Index(o.nodes, n))
		for i != None && yield(o.nodes[i]) {
			i = o.above[i]
		}
	}
}

// A Row is one entry that is shown.
type Row struct {
	Node   *pith.Node
	Parent int  // row of the nearest ancestor that is shown, or None
	Level  int  // how many cells it is set in
	Branch bool // it is one of several: drawn with a connector
	Last   bool // the last one among its siblings
	// Foldable rows begin something that can be hidden: a root, or one of several
	// siblings, with rows below it.
	Foldable bool
	Folded   bool

	kids, seen int32
	turned     bool // what follows is set in once more
	depth      int32
	turn       int32 // nearest row with a connector at or above this one, or None
}

// Rows are the entries for which visible is true, without what lies below a
// folded one. Either function may be nil.
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

// under sets a row in below its parent.
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

// shown are the rows with nothing but their parents.
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

// hides reports whether there is anything to see below an entry.
func (o *Outline) hides(i int, visible func(*pith.Node) bool) bool {
	for k := i + 1; k < int(o.end[i]); k++ {
		if visible == nil || visible(o.nodes[k]) {
			return true
		}
	}
	return false
}
