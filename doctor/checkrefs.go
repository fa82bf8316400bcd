package doctor

import (
	"github.com/pith-sessions/pith/internal/journal"
)

func (d *diagnosis) checkReferences() {
	k := keeping{diagnosis: d}
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
			d.checkLabel(ref, target)
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
	d.entry(EditTarget, ref.entry, "an edit of entry %q, which is not before it on its branch", ref.id)
}

// root is the target of a branch summary that refers to no entry.
const root = "root"

// checkBranch finds summaries of branches that are not in the file.
func (d *diagnosis) checkBranch(ref reference, target int) {
	if ref.id != "" && ref.id != root && target == journal.None {
		d.entry(BranchFrom, ref.entry, "a summary of the branch that ended at %q, which is not in the file", ref.id)
	}
}

// checkLabel finds labels of entries that are not in the file.
func (d *diagnosis) checkLabel(ref reference, target int) {
	if ref.label != "" && target == journal.None {
		d.entry(LabelTarget, ref.entry, "a label of entry %q, which is not in the file", ref.id)
	}
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
