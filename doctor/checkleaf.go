package doctor

import "github.com/pith-sessions/pith/internal/tree"

// checkLeaf finds sessions that pi opens at an old place: the last line is
// bookkeeping below an entry that was not the newest any more (pitfall 77).
func (d *diagnosis) checkLeaf() {
	entries := d.entries()
	last := len(entries) - 1
	if last < 0 {
		return
	}
	asRead := func(i int) bool { return entries[i].Bookkeeping() }
	if place := resume(d.parents, asRead); place != last {
		d.entry(HiddenHistory, last, "the last line stands below an old entry; the newest conversation ends at entry %s", d.id(place))
	}
	if !d.opt.wants(HiddenHistory) || d.cure.blocked {
		return
	}
	if place := resume(d.cure.parents, d.bookkeeping); place != last {
		d.cure.leaf = place
	}
}

// resume is where pith opens a session: at the last entry, or where the newest
// conversation ends if the last entry is bookkeeping elsewhere.
func resume(parents []int32, bookkeeping func(int) bool) int {
	last := len(parents) - 1
	end := last
	for end >= 0 && bookkeeping(end) {
		end--
	}
	if end < 0 {
		return last
	}
	i := last
	for i != tree.None && bookkeeping(i) {
		i = int(parents[i])
	}
	if i == end {
		return last
	}
	return end
}
