package doctor

import (
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

// checkReferences looks at what entries name besides their parents.
func (d *diagnosis) checkReferences() {
	k := keeping{diagnosis: d}
	labels := labelling{diagnosis: d, steps: climbs}
	for _, ref := range d.bodies.references {
		kind := d.entries()[ref.entry].Kind
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
		if id, renamed := d.cure.ids[target]; renamed {
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

// checkEdit finds edits of what is not before them. One of itself is an edit of
// nothing, and says so.
func (d *diagnosis) checkEdit(ref reference, target int) {
	if target == ref.entry || target != tree.None && (d.before.above(target, ref.entry) || len(d.now.tree.FindAll(ref.id)) > 1) {
		return
	}
	if d.entry(EditTarget, ref.entry, "an edit of entry %q, which is not before it on its branch", ref.id) {
		d.waiting.edits = append(d.waiting.edits, ref)
	}
}

// root is what a branch summary names where no entry can be named.
const root = "root"

// checkBranch finds summaries of branches that are not in the file. They are made
// to name what is left of the branch, or where they stand themselves, which is
// what older versions of pi wrote.
func (d *diagnosis) checkBranch(ref reference, target int) {
	if ref.id == "" || ref.id == root || target != tree.None ||
		!d.entry(BranchFrom, ref.entry, "a summary of the branch that ended at %q, which is not in the file", ref.id) {
		return
	}
	left := d.heir(ref.id)
	if left == tree.None {
		left = int(d.after.parents[ref.entry])
	}
	id := root
	if left != tree.None {
		id = d.idAfter(left)
	}
	d.fix("names entry %s instead", id)
	if left == tree.None {
		d.fix("names the beginning instead")
	}
	d.set(ref.entry, text("fromId", id))
}

// heir is the entry below which a record hung that cannot be read, or the nearest
// above it that can; None when that is not known.
func (d *diagnosis) heir(id string) int {
	known := true
	for range tries {
		if id, known = d.lost[id]; !known {
			break
		}
		if i := d.now.tree.Find(id); i != tree.None {
			return i
		}
	}
	return tree.None
}

// climbs bounds how many parents the search for places of labels may go through, so
// that no file takes the square of its length.
const climbs = 4_000_000

// A keeping finds compactions whose first kept entry is not where it should be.
type keeping struct {
	*diagnosis
	heirs map[string][]int
}

func (k *keeping) check(ref reference) {
	if ref.none {
		return // it says that it keeps nothing
	}
	if ref.id == "" {
		if k.entry(KeptEntry, ref.entry, "a compaction that does not say which messages it keeps") {
			k.waiting.kept = append(k.waiting.kept, ref)
		}
		return
	}
	kept := highest(k.before, k.now.tree.FindAll(ref.id), ref.entry)
	if kept == tree.None && ref.id == k.id(ref.entry) {
		kept = ref.entry // which says that it keeps nothing, too
	}
	if kept != tree.None {
		if id, renamed := k.cure.ids[kept]; renamed {
			k.set(ref.entry, text("firstKeptEntryId", id))
		}
		return
	}
	if !k.entry(KeptEntry, ref.entry, "a compaction that keeps messages from entry %q on, which is not before it on its branch", ref.id) {
		return
	}
	if kept = k.substitute(ref); kept == tree.None {
		k.waiting.kept = append(k.waiting.kept, ref)
		return
	}
	k.fix("keeps the messages from entry %s on", k.idAfter(kept))
	if k.idAfter(kept) != ref.id {
		k.set(ref.entry, text("firstKeptEntryId", k.idAfter(kept)))
	}
}

// sameTries bounds how many entries of one id are held against a reference to it.
const sameTries = 32

// highest is the entry nearest to the root among those above another, or None.
func highest(f *forest, among []int, below int) int {
	best := tree.None
	for _, i := range among[:min(len(among), sameTries)] {
		if f.above(i, below) && (best == tree.None || f.depth[i] < f.depth[best]) {
			best = i
		}
	}
	return best
}

// substitute is the entry from which on messages can be kept instead: the one
// itself, once it is on the branch again; the first that is left behind a lost one;
// or the first behind the place where its branch and this one part.
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
		return tree.None // nothing stands between
	}
	return k.after.climb(ref.entry, func(i int) bool { return k.after.depth[i] <= k.after.depth[fork]+1 })
}

// heirsOf are the entries that name a parent which is not in the file.
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

// A labelling finds labels of entries that are not there.
type labelling struct {
	*diagnosis
	steps int             // how many parents may still be gone through
	used  map[string]bool // ids that have a label, or had one
}

// check brings a label to the nearest place that makes sense: to what the lost
// entry hung below, or to where the session stood when the label was set, or to
// what came before that. It never takes the place of another label.
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
	l.fix("puts the label on entry %s, the nearest that is left and has none", l.idAfter(target))
	l.set(ref.entry, text("targetId", l.idAfter(target)))
}

// nearest is the entry to label instead: without any other, the one that sets the
// label.
func (l *labelling) nearest(ref reference) int {
	if i := l.heir(ref.id); i != tree.None && !l.taken(l.idAfter(i)) {
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
			if l.entries()[ref.entry].Kind == envelope.KindLabel {
				l.used[ref.id] = true
			}
		}
	}
	return l.used[id]
}
