package doctor

import (
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

func (d *diagnosis) checkReferences() {
	k := keeping{diagnosis: d}
	labels := labelling{diagnosis: d, steps: climbs}
	for _, ref := range d.bodies.references {
		kind := d.now.table.At(ref.entry).Kind
		if kind == envelope.KindCompaction {
			k.check(ref)
			continue
		}
		target := d.now.tree.Find(ref.id)
		if kind == envelope.KindContextEdit {
			if near := d.before.onBranch(d.now.tree.FindAll(ref.id), ref.entry); len(near) == 1 {
				target = near[0]
			}
		}
		if id, renamed := d.changeSet.ids[target]; renamed {
			d.set(ref.entry, text(referenceNames[kind], id))
		}
		switch kind {
		case envelope.KindLabel:
			labels.check(ref)
		case envelope.KindContextEdit:
			d.checkEdit(ref, target)
		case envelope.KindBranchSummary:
			d.checkBranch(ref, target)
		}
	}
}

// checkEdit finds edits of entries that do not precede them. An edit of itself
// deliberately has no effect.
func (d *diagnosis) checkEdit(ref reference, target int) {
	if target == ref.entry || target != tree.None && (d.before.above(target, ref.entry) || len(d.now.tree.FindAll(ref.id)) > 1) {
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
	if ref.id == "" || ref.id == root || target != tree.None ||
		!d.entry(BranchFrom, ref.entry, "a summary of the branch that ended at %q, which is not in the file", ref.id) {
		return
	}
	left, _ := d.heir(ref.id)
	if left == tree.None {
		left = int(d.after.parents[ref.entry])
	}
	id := root
	if left != tree.None {
		id = d.idAfter(left)
	}
	d.fix("refer to entry %s instead", id)
	if left == tree.None {
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
			return tree.None, known
		}
		if i := d.now.tree.Find(parent); i != tree.None {
			return i, false
		}
		id = parent
	}
	return tree.None, false
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
	kept := highest(k.before, k.now.tree.FindAll(ref.id), ref.entry)
	if kept == tree.None && ref.id == k.id(ref.entry) {
		kept = ref.entry // this also means that it keeps nothing
	}
	if kept != tree.None {
		if id, renamed := k.changeSet.ids[kept]; renamed {
			k.set(ref.entry, text("firstKeptEntryId", id))
		}
		return
	}
	if !k.entry(KeptEntry, ref.entry, "a compaction that keeps messages from entry %q, which is not before it on its branch", ref.id) {
		return
	}
	if kept = k.substitute(ref); kept == tree.None {
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
	best := tree.None
	for _, i := range candidates[:min(len(candidates), sameTries)] {
		if f.above(i, below) && (best == tree.None || f.depth[i] < f.depth[best]) {
			best = i
		}
	}
	return best
}

// substitute returns a replacement for the first kept entry: the entry itself,
// once it is on the branch again; the first one after a lost one; or the first
// one after the point where its branch and this one diverge.
func (k *keeping) substitute(ref reference) int {
	if kept := highest(k.after, k.now.tree.FindAll(ref.id), ref.entry); kept != tree.None {
		return kept
	}
	if heir := highest(k.after, k.heirsOf(ref.id), ref.entry); heir != tree.None {
		return heir
	}
	kept := k.now.tree.Find(ref.id)
	if kept == tree.None {
		return tree.None
	}
	fork := k.after.climb(kept, func(i int) bool { return k.after.above(i, ref.entry) })
	if fork == tree.None || int(k.after.parents[ref.entry]) == fork {
		return tree.None // nothing is in between
	}
	return k.after.climb(ref.entry, func(i int) bool { return k.after.depth[i] <= k.after.depth[fork]+1 })
}

// heirsOf returns the entries that name a missing parent.
func (k *keeping) heirsOf(id string) []int {
	if k.heirs == nil {
		k.heirs = map[string][]int{}
		for _, f := range k.now.tree.Findings() {
			if f.Kind == tree.MissingParent {
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
	if ref.label == "" || l.now.tree.Find(ref.id) != tree.None {
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
	if i, _ := l.heir(ref.id); i != tree.None && !l.taken(l.idAfter(i)) {
		return i
	}
	for i := l.after.parents[ref.entry]; i != tree.None && l.steps > 0; l.steps-- {
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
			if l.now.table.At(ref.entry).Kind == envelope.KindLabel {
				l.used[ref.id] = true
			}
		}
	}
	return l.used[id]
}
