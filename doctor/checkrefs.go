package doctor

import (
	"github.com/pith-sessions/pith/internal/journal"
)

func (d *diagnosis) checkReferences() {
	k := keeping{diagnosis: d}
	labels := labelling{diagnosis: d, steps: climbs}
	for _, ref := range d.bodies.references {
		kind := d.now.state.At(ref.entry).Kind
		if kind == journal.KindCompaction {
			k.check(ref)
			continue
		}
		target := d.now.state.Find(ref.id)
		if kind == journal.KindContextEdit {
			if near := d.before.onBranch(d.now.state.FindAll(ref.id), ref.entry); len(near) == 1 {
				target = near[0]
			}
		}
		if id, renamed := d.changeSet.ids[target]; renamed {
			d.set(ref.entry, text(referenceNames[kind], id))
		}
		switch kind {
		case journal.KindLabel:
			labels.check(ref)
		case journal.KindContextEdit:
			d.checkEdit(ref, target)
		case journal.KindBranchSummary:
			d.checkBranch(ref, target)
		}
	}
}

// checkEdit finds edits of entries that do not precede them. An edit of itself
// deliberately has no effect.
func (d *diagnosis) checkEdit(ref reference, target int) {
	if target == ref.entry || target != journal.None && (d.before.above(target, ref.entry) || len(d.now.state.FindAll(ref.id)) > 1) {
		return
	}
	if d.entry(EditTarget, ref.entry, "an edit of entry %q, which is not before it on its branch", ref.id) {
		d.waiting.edits = append(d.waiting.edits, ref)
	}
}

// root is the target of a branch summary that refers to no entry.
const root = "root"

// checkBranch finds summaries of branches that are not in the file. They are
// changed to refer to the rest of the branch, or to their own parent, as older
// versions of pi wrote.
func (d *diagnosis) checkBranch(ref reference, target int) {
	if ref.id == "" || ref.id == root || target != journal.None ||
		!d.entry(BranchFrom, ref.entry, "a summary of the branch that ended at %q, which is not in the file", ref.id) {
		return
	}
	left, _ := d.heir(ref.id)
	if left == journal.None {
		left = int(d.after.parents[ref.entry])
	}
	id := root
	if left != journal.None {
		id = d.idAfter(left)
	}
	d.fix("refer to entry %s instead", id)
	if left == journal.None {
		d.fix("refer to the root instead")
	}
	d.set(ref.entry, text("fromId", id))
}

// heir returns the parent of an unreadable record, or its nearest readable
// ancestor, or None if it is unknown or if the record descends only from
// unreadable ones. wasRoot reports the latter.
func (d *diagnosis) heir(id string) (_ int, wasRoot bool) {
	for range tries {
		parent, known := d.lost[id]
		if !known || parent == "" {
			return journal.None, known
		}
		if i := d.now.state.Find(parent); i != journal.None {
			return i, false
		}
		id = parent
	}
	return journal.None, false
}

// climbs limits the number of parents visited in the search for label targets,
// so that no file takes quadratic time.
const climbs = 4_000_000

// A keeping finds compactions whose first kept entry is misplaced.
type keeping struct {
	*diagnosis
	heirs map[string][]int
}

func (k *keeping) check(ref reference) {
	if ref.none {
		return // it states that it keeps nothing
	}
	if ref.id == "" {
		if k.entry(KeptEntry, ref.entry, "a compaction that does not specify which messages it keeps") {
			k.waiting.kept = append(k.waiting.kept, ref)
		}
		return
	}
	kept := highest(k.before, k.now.state.FindAll(ref.id), ref.entry)
	if kept == journal.None && ref.id == k.id(ref.entry) {
		kept = ref.entry // this also means that it keeps nothing
	}
	if kept != journal.None {
		if id, renamed := k.changeSet.ids[kept]; renamed {
			k.set(ref.entry, text("firstKeptEntryId", id))
		}
		return
	}
	if !k.entry(KeptEntry, ref.entry, "a compaction that keeps messages from entry %q, which is not before it on its branch", ref.id) {
		return
	}
	if kept = k.substitute(ref); kept == journal.None {
		k.waiting.kept = append(k.waiting.kept, ref)
		return
	}
	k.fix("keep the messages from entry %s", k.idAfter(kept))
	if k.idAfter(kept) != ref.id {
		k.set(ref.entry, text("firstKeptEntryId", k.idAfter(kept)))
	}
}

// sameTries limits how many entries with the same id are compared with a
// reference.
const sameTries = 32

// highest returns the entry nearest to the root of those above another, or
// None.
func highest(f *forest, candidates []int, below int) int {
	best := journal.None
	for _, i := range candidates[:min(len(candidates), sameTries)] {
		if f.above(i, below) && (best == journal.None || f.depth[i] < f.depth[best]) {
			best = i
		}
	}
	return best
}

// substitute returns a replacement for the first kept entry: the entry itself,
// once it is on the branch again; the first one after a lost one; or the first
// one after the point where its branch and this one diverge.
func (k *keeping) substitute(ref reference) int {
	if kept := highest(k.after, k.now.state.FindAll(ref.id), ref.entry); kept != journal.None {
		return kept
	}
	if heir := highest(k.after, k.heirsOf(ref.id), ref.entry); heir != journal.None {
		return heir
	}
	kept := k.now.state.Find(ref.id)
	if kept == journal.None {
		return journal.None
	}
	fork := k.after.climb(kept, func(i int) bool { return k.after.above(i, ref.entry) })
	if fork == journal.None || int(k.after.parents[ref.entry]) == fork {
		return journal.None // nothing is in between
	}
	return k.after.climb(ref.entry, func(i int) bool { return k.after.depth[i] <= k.after.depth[fork]+1 })
}

// heirsOf returns the entries that name a missing parent.
func (k *keeping) heirsOf(id string) []int {
	if k.heirs == nil {
		k.heirs = map[string][]int{}
		for _, f := range k.now.state.Problems() {
			if f.Kind == journal.MissingParent {
				k.heirs[f.ID] = append(k.heirs[f.ID], f.Entry)
			}
		}
	}
	return k.heirs[id]
}

// A labelling finds labels of missing entries.
type labelling struct {
	*diagnosis
	steps int             // number of parents that may still be visited
	used  map[string]bool // ids that have or had a label
}

// check moves a label to the nearest sensible entry: the parent of the lost
// entry, the leaf when the label was set, or an ancestor of that. It never
// replaces another label.
func (l *labelling) check(ref reference) {
	if ref.label == "" || l.now.state.Find(ref.id) != journal.None {
		return
	}
	if !l.entry(LabelTarget, ref.entry, "a label of entry %q, which is not in the file", ref.id) {
		return
	}
	target := l.nearest(ref)
	if l.taken(l.idAfter(target)) {
		l.fix("")
		return
	}
	l.used[l.idAfter(target)] = true
	l.fix("move the label to entry %s, the nearest one without a label", l.idAfter(target))
	l.set(ref.entry, text("targetId", l.idAfter(target)))
}

// nearest returns the entry to label instead, at worst the label entry itself.
func (l *labelling) nearest(ref reference) int {
	if i, _ := l.heir(ref.id); i != journal.None && !l.taken(l.idAfter(i)) {
		return i
	}
	for i := l.after.parents[ref.entry]; i != journal.None && l.steps > 0; l.steps-- {
		if !l.bookkeeping(int(i)) && !l.taken(l.idAfter(int(i))) {
			return int(i)
		}
		i = l.after.parents[i]
	}
	return ref.entry
}

func (l *labelling) taken(id string) bool {
	if l.used == nil {
		l.used = map[string]bool{}
		for _, ref := range l.bodies.references {
			if l.now.state.At(ref.entry).Kind == journal.KindLabel {
				l.used[ref.id] = true
			}
		}
	}
	return l.used[id]
}
