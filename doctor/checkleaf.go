package doctor

import "github.com/pith-sessions/pith/internal/tree"

// checkLeaf finds sessions that pi opens at an old leaf: the last line is a
// name or a label below an entry that was no longer the newest (pitfall 77).
func (d *diagnosis) checkLeaf() {
	entries := d.entries()
	last := len(entries) - 1
	if last < 0 {
		return
	}
	asRead := func(i int) bool { return entries[i].Annotates() }
	if place := tree.Stand(len(entries), asRead, parentIn(d.parents)); place != last {
		d.entry(HiddenHistory, last, "the last line continues an old entry; the newest messages end at entry %s", d.id(place))
	}
	if !d.opt.wants(HiddenHistory) || d.changeSet.blocked {
		return
	}
	if place := tree.Stand(len(entries), d.annotates, parentIn(d.changeSet.parents)); place != last {
		d.changeSet.leaf = place
	}
}

func parentIn(parents []int32) func(int) int { return func(i int) int { return int(parents[i]) } }

// annotates reports whether, after the repair, an entry does not affect the
// leaf.
func (d *diagnosis) annotates(i int) bool { return d.becomesNote(i) || d.entries()[i].Annotates() }
