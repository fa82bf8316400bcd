package tree

import (
	"maps"
	"slices"
)

// Clone is a tree of the same entries that can be extended while somebody keeps
// the old one, or saved while the entries become more. It costs a copy of the
// branching and of the index, if there is one.
func (t *Tree) Clone() *Tree {
	t.settle()
	c := *t
	c.runs = slices.Clone(t.runs)
	c.ids.slots = slices.Clone(t.ids.slots)
	c.ids.older = maps.Clone(t.ids.older)
	c.kids, c.gathered = nil, 0
	c.findings = slices.Clone(t.findings)
	c.waiting = maps.Clone(t.waiting)
	for id, runs := range c.waiting {
		c.waiting[id] = slices.Clip(runs) // both add to their own
	}
	return &c
}

// Clone is a copy that does not change with the original.
func (l *Labels) Clone() Labels { return Labels{maps.Clone(l.set), l.count} }
