package cli

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith"
)

// An outlineRow is one visible entry of a tree, in the order of display.
type outlineRow struct {
	node   *pith.Node
	parent int  // row of the nearest visible ancestor, or -1
	level  int  // how many cells it is set in
	branch bool // it is one of several: drawn with a connector
	last   bool // the last one among its siblings
}

// outline lays a tree out for reading. Entries that visible refuses are left
// out, and what hangs below them hangs below the nearest one that is shown. At a
// branching the active path comes first. A chain stays flat; only where it
// branches is what follows set in, and once more behind the first entry of a
// branch. Cost and memory are linear, and nothing recurses (pitfall 74).
func outline(roots []*pith.Node, visible func(*pith.Node) bool) []outlineRow {
	rows := visibleRows(roots, visible)
	children := make([]int, len(rows)) // how many each row has
	tops := 0
	for i := range rows {
		if p := rows[i].parent; p >= 0 {
			children[p]++
		} else {
			tops++
		}
	}
	seen := make([]int, len(rows))
	justBranched := make([]bool, len(rows))
	depth := make([]int, len(rows)) // one more than the level when there are several roots
	seenTops := 0
	for i := range rows {
		r := &rows[i]
		p := r.parent
		switch {
		case p < 0:
			seenTops++
			r.last = seenTops == tops
			if tops > 1 {
				depth[i], justBranched[i] = 1, true
			}
		default:
			seen[p]++
			r.last = seen[p] == children[p]
			r.branch = children[p] > 1
			justBranched[i] = r.branch
			depth[i] = depth[p]
			if r.branch || justBranched[p] && depth[p] > 0 {
				depth[i]++
			}
		}
		r.level = depth[i]
		if tops > 1 {
			r.level--
		}
	}
	return rows
}

// visibleRows are the visible entries in depth-first order.
func visibleRows(roots []*pith.Node, visible func(*pith.Node) bool) []outlineRow {
	type step struct {
		node   *pith.Node
		parent int
	}
	var rows []outlineRow
	todo := pushActiveFirst(nil, roots, func(n *pith.Node) step { return step{n, -1} })
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		parent := s.parent
		if visible(s.node) {
			rows = append(rows, outlineRow{node: s.node, parent: s.parent})
			parent = len(rows) - 1
		}
		todo = pushActiveFirst(todo, s.node.Children, func(n *pith.Node) step { return step{n, parent} })
	}
	return rows
}

// pushActiveFirst puts siblings on a stack so that they come off in order, the
// one on the active path before the others.
func pushActiveFirst[T any](stack []T, siblings []*pith.Node, step func(*pith.Node) T) []T {
	active := -1
	for i := len(siblings) - 1; i >= 0; i-- {
		if siblings[i].OnPath {
			active = i
			continue
		}
		stack = append(stack, step(siblings[i]))
	}
	if active >= 0 {
		stack = append(stack, step(siblings[active]))
	}
	return stack
}

// A gutter draws what stands before the rows of an outline, from top to bottom.
type gutter struct {
	// most is how many levels are drawn. Deeper rows say how many are left out,
	// so that a tree that branches at every step stays readable and its output
	// linear in its size.
	most int
	bars []bool // per level: a later sibling follows further down
}

// prefix is what stands before the next row.
func (g *gutter) prefix(r *outlineRow) string {
	if r.level == 0 {
		g.bars = g.bars[:0]
		return ""
	}
	for len(g.bars) < r.level {
		g.bars = append(g.bars, false)
	}
	if r.branch {
		g.bars[r.level-1] = !r.last
	}
	var b strings.Builder
	from := 0
	if r.level > g.most {
		from = r.level - g.most
		fmt.Fprintf(&b, "…%d ", from)
	}
	for level := from; level < r.level; level++ {
		b.WriteString(g.cell(r, level))
	}
	g.bars = g.bars[:r.level] // a deeper row enters its levels anew
	return b.String()
}

func (g *gutter) cell(r *outlineRow, level int) string {
	switch {
	case level == r.level-1 && r.branch && r.last:
		return "└─ "
	case level == r.level-1 && r.branch:
		return "├─ "
	case g.bars[level]:
		return "│  "
	}
	return "   "
}
