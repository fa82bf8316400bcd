package page

import (
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// Limits of a stretch: a browser renders one at a time.
const mostOfStretch, mostBytes = 200, 512 << 10

// A stretch is a run of entries without a branch: a turn, from a user message to
// before the next one, or the part of a turn that is on one branch. A session is
// a tree of stretches.
type stretch struct {
	entries []int // positions in the file, in order
	parent  int   // the stretch that it continues, or -1
	more    bool  // it continues a turn only because that is long
}

// isTalk reports whether an entry is shown: other entries describe the session.
func isTalk(e *pith.Envelope) bool {
	switch e.Type {
	case format.TypeMessage:
		return e.Role != format.RoleSystem
	case format.TypeCompaction, format.TypeBranchSummary, format.TypeCustomMessage:
		return true
	}
	return false
}

// begins reports whether an entry begins a stretch.
func begins(e *pith.Envelope) bool {
	return e.Role == format.RoleUser && e.Type == format.TypeMessage || e.Type == format.TypeCompaction || e.Type == format.TypeBranchSummary
}

// A divider divides a session into stretches.
type divider struct {
	v       *pith.View
	wanted  []int
	place   []int32 // position in the file to position in the page; -1 for none
	kids    [][]int32
	order   []int32 // parents before their children
	talks   []bool  // an entry, or one that continues it, is shown
	results []stretch
}

// divide returns the stretches of the wanted entries, ordered by their first
// entries. parent returns the position in the page of an entry's parent, or -1.
func divide(v *pith.View, wanted []int, place []int32, parent func(n int) int) []stretch {
	d := &divider{v: v, wanted: wanted, place: place, kids: make([][]int32, len(wanted)), talks: make([]bool, len(wanted))}
	var roots []int32
	up := make([]int32, len(wanted))
	for n := range wanted {
		p := parent(n)
		if up[n] = int32(p); p < 0 {
			roots = append(roots, int32(n))
		} else {
			d.kids[p] = append(d.kids[p], int32(n))
		}
	}
	seen := make([]bool, len(wanted))
	walk := func(root int32) {
		for stack := []int32{root}; len(stack) > 0; {
			n := stack[len(stack)-1]
			if stack = stack[:len(stack)-1]; seen[n] {
				continue
			}
			seen[n] = true
			d.order = append(d.order, n)
			stack = append(stack, d.kids[n]...)
		}
	}
	for _, n := range roots {
		walk(n)
	}
	for n := range wanted { // a cycle of a damaged file has no root
		if !seen[n] {
			up[n] = -1
			roots = append(roots, int32(n))
			walk(int32(n))
		}
	}
	for _, n := range slices.Backward(d.order) {
		e := v.At(wanted[n])
		if d.talks[n] = d.talks[n] || isTalk(&e); d.talks[n] && up[n] >= 0 {
			d.talks[up[n]] = true
		}
	}
	at := make([]int32, len(wanted)) // the stretch of an entry
	for i := range at {
		at[i] = -1
	}
	for _, n := range d.order {
		d.put(n, up[n], at)
	}
	return d.sorted()
}

// put adds an entry to the stretch of its parent, or begins one with it.
func (d *divider) put(n, up int32, at []int32) {
	e := d.v.At(d.wanted[n])
	parent := int32(-1)
	if up >= 0 {
		parent = at[up]
	}
	size := 0
	if parent >= 0 {
		s := &d.results[parent]
		alone := !d.talks[n] || d.ends(s, up)
		for _, pos := range s.entries {
			size += d.v.At(pos).Size
		}
		full := (len(s.entries) >= mostOfStretch || size >= mostBytes) && e.Role != format.RoleToolResult && d.talks[n]
		if alone && !full && !(begins(&e) && d.shown(s)) && (d.branches(up) < 2 || !d.talks[n]) {
			s.entries = append(s.entries, d.wanted[n])
			at[n] = parent
			return
		}
	}
	at[n] = int32(len(d.results))
	more := parent >= 0 && !begins(&e) && d.branches(up) < 2
	d.results = append(d.results, stretch{[]int{d.wanted[n]}, int(parent), more})
}

// ends reports whether an entry is the last one of a stretch that is shown.
func (d *divider) ends(s *stretch, n int32) bool {
	for _, pos := range slices.Backward(s.entries) {
		switch at := d.place[pos]; {
		case at == n:
			return true
		case d.talks[at]:
			return false
		}
	}
	return false
}

// shown reports whether a stretch has an entry that is shown.
func (d *divider) shown(s *stretch) bool {
	return slices.ContainsFunc(s.entries, func(pos int) bool { e := d.v.At(pos); return isTalk(&e) })
}

// branches returns the number of conversations that continue an entry.
func (d *divider) branches(n int32) (count int) {
	for _, k := range d.kids[n] {
		if d.talks[k] {
			count++
		}
	}
	return count
}

// sorted returns the stretches ordered by their first entries.
func (d *divider) sorted() []stretch {
	order := make([]int, len(d.results))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return d.results[a].entries[0] - d.results[b].entries[0] })
	now := make([]int, len(order))
	for i, was := range order {
		now[was] = i
	}
	out := make([]stretch, len(order))
	for i, was := range order {
		out[i] = d.results[was]
		if out[i].parent >= 0 {
			out[i].parent = now[out[i].parent]
		}
	}
	return out
}

// kindOf returns the letter of an entry in an index: see [Stretch].
func kindOf(e *pith.Envelope) byte {
	switch e.Type {
	case format.TypeCompaction:
		return 'k'
	case format.TypeBranchSummary:
		return 's'
	case format.TypeCustomMessage:
		return 'm'
	case format.TypeMessage:
		switch e.Role {
		case format.RoleUser:
			return 'p'
		case format.RoleToolResult:
			return 'r'
		case format.RoleCompactionSummary:
			return 'k'
		}
		return 'm'
	}
	return 'o'
}
