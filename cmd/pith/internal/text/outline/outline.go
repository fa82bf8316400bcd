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

// A Place is the position of an entry and the index of its parent in a list of
// places, or -1 for a root: see [pith.View.DepthFirst].
type Place = struct{ Pos, Parent int32 }

// None means that there is no row.
const None = -1

// An Outline is the display order of the entries of a session. It does not
// change when the tree does: make a new one.
type Outline struct {
	places []Place
	onPath []uint64 // bits: the entry is on the path to the leaf
	end    []int32  // index after the last descendant; nil until something is folded
}

// New returns the outline of a session's entries in depth-first order. leaf is
// the position of the leaf, or -1.
func New(places []Place, leaf int) *Outline {
	o := &Outline{places: places, onPath: make([]uint64, (len(places)+63)/64)}
	for i := o.index(leaf); i != None; i = int(places[i].Parent) {
		o.onPath[i/64] |= 1 << (i % 64)
	}
	return o
}

// index returns the index of the entry at a position, or None.
func (o *Outline) index(pos int) int {
	for i := range o.places {
		if int(o.places[i].Pos) == pos {
			return i
		}
	}
	return None
}

// Ancestors returns the positions of an entry and its ancestors, up to its
// root.
func (o *Outline) Ancestors(pos int) []int {
	var out []int
	for i := o.index(pos); i != None; i = int(o.places[i].Parent) {
		out = append(out, int(o.places[i].Pos))
	}
	return out
}

// A Row is one visible entry. There may be millions, so it is small.
type Row struct {
	Pos    int32 // position of the entry
	Parent int32 // row of the nearest visible ancestor, or None
	Level  int32 // number of cells of indentation
	turn   int32 // nearest row with a connector at or above this one, or None
	OnPath bool  // it is on the path to the leaf
	Branch bool  // it is one of several siblings: drawn with a connector
	Last   bool  // it is the last of its siblings
	// Foldable rows start a part that can be hidden: a root, or one of several
	// siblings, with rows below it.
	Foldable bool
	Folded   bool
	forks    bool // it has several children
	turned   bool // following rows are indented once more
}

// Rows returns the rows of the entries, given by their positions, for which
// visible returns true, without those below a folded one. Either function may be
// nil.
func (o *Outline) Rows(visible, folded func(pos int) bool) []Row {
	rows, scratch := o.shown(visible, folded)
	left := scratch[:len(rows)] // children that have not been seen
	clear(left)
	tops := int32(0)
	for i := range rows {
		if p := rows[i].Parent; p != None {
			left[p]++
		} else {
			tops++
		}
	}
	several := tops > 1
	for i := range rows {
		r := &rows[i]
		r.forks = left[i] > 1
		if p := r.Parent; p == None {
			tops--
			r.Last, r.turn, r.turned = tops == 0, None, several
		} else {
			left[p]--
			r.Last = left[p] == 0
			r.under(&rows[p])
		}
		if r.Branch {
			r.turn = int32(i)
		}
		r.Foldable = (left[i] > 0 || r.Folded) && (r.Parent == None || r.Branch)
	}
	return rows
}

// under indents a row below its parent.
func (r *Row) under(p *Row) {
	r.Branch = p.forks
	r.turned = r.Branch
	r.Level = p.Level
	if r.Branch || p.turned {
		r.Level++
	}
	r.turn = p.turn
}

// shown returns the rows with only their entries and parents set. The caller may
// use place, which has room for every row, for something else.
func (o *Outline) shown(visible, folded func(pos int) bool) (rows []Row, place []int32) {
	rows = make([]Row, 0, len(o.places))
	place = make([]int32, len(o.places)) // the row of an entry, or of its nearest visible ancestor
	for i := 0; i < len(o.places); i++ {
		pos := int(o.places[i].Pos)
		place[i] = None
		if p := o.places[i].Parent; p != None {
			place[i] = place[p]
		}
		if visible != nil && !visible(pos) {
			continue
		}
		rows = append(rows, Row{Pos: int32(pos), Parent: place[i], OnPath: o.onPath[i/64]>>(i%64)&1 == 1})
		place[i] = int32(len(rows) - 1)
		if folded != nil && folded(pos) && o.hides(i, visible) {
			rows[len(rows)-1].Folded = true
			i = int(o.end[i]) - 1
		}
	}
	return rows, place
}

// hides reports whether an entry has visible descendants.
func (o *Outline) hides(i int, visible func(pos int) bool) bool {
	o.findEnds()
	for k := i + 1; k < int(o.end[i]); k++ {
		if visible == nil || visible(int(o.places[k].Pos)) {
			return true
		}
	}
	return false
}

func (o *Outline) findEnds() {
	if o.end != nil {
		return
	}
	o.end = make([]int32, len(o.places))
	for i := len(o.places) - 1; i >= 0; i-- {
		o.end[i] = max(o.end[i], int32(i+1))
		if p := o.places[i].Parent; p != None {
			o.end[p] = max(o.end[p], o.end[i])
		}
	}
}
