package tree

import (
	"maps"
	"slices"
)

// Clone returns a tree of the same entries that can be extended while the
// original stays in use, or saved while more entries are added. It copies the
// runs and the index, if there is one.
func (t *Tree) Clone() *Tree {
	t.settle()
	c := *t
	c.runs = slices.Clone(t.runs)
	c.ids.slots = slices.Clone(t.ids.slots)
	c.ids.older = maps.Clone(t.ids.older)
	c.ids.buf = nil // each tree has its own
	c.kids, c.gathered = nil, 0
	c.findings = slices.Clone(t.findings)
	c.waiting = maps.Clone(t.waiting)
	for id, runs := range c.waiting {
		c.waiting[id] = slices.Clip(runs) // each tree appends to its own slice
	}
	return &c
}

// Clone returns a copy that does not change with the original.
func (l *Labels) Clone() Labels { return Labels{maps.Clone(l.set), l.count} }
