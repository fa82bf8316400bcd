package doctor

import (
	"slices"

	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// checkIDs finds duplicate ids. The last entry with an id keeps it, because
// references by id mean that one; the others get new ids. A context edit refers
// to the entry with that id on its branch, and continues to do so. If a branch
// has several, the edit means all of them, and none can be renamed without
// changing a context. If the last one names itself as its parent, no context
// can change, because pi hangs on it.
func (d *diagnosis) checkIDs() {
	again := map[string]bool{}
	for _, f := range d.now.state.Problems() {
		if f.Kind != journal.DuplicateID {
			continue
		}
		id := d.id(f.Entry)
		if !d.entry(DuplicateID, f.Entry, "the same ID as an earlier entry") {
			continue
		}
		if len(d.bodies.edited[id]) > 0 && !d.editedApart(id) && d.changeSet.ids[f.Entry] == "" && !d.now.namesItself(id) {
			d.fix("")
			continue
		}
		again[id] = true
	}
	if len(again) == 0 {
		return
	}
	for i := range d.now.state.Len() {
		if id := d.id(i); again[id] && d.now.state.Find(id) != i {
			d.rename(i)
		}
	}
}

// namesItself reports whether the last entry with an id has that id as its
// parent.
func (v *view) namesItself(id string) bool { return v.state.At(v.state.Find(id)).Parent == id }

// editedApart reports whether every edit that names an id has at most one entry
// with that id on its branch.
func (d *diagnosis) editedApart(id string) bool {
	all := d.now.state.FindAll(id)
	return !slices.ContainsFunc(d.bodies.edited[id], func(edit int) bool { return len(d.before.onBranch(all, edit)) > 1 })
}

// onBranch returns the entries of list that are ancestors or descendants of i.
// If the list is very long, it returns all.
func (f *forest) onBranch(list []int, i int) []int {
	if len(list) > sameTries {
		return list
	}
	var out []int
	for _, k := range list {
		if f.above(k, i) || f.above(i, k) {
			out = append(out, k)
		}
	}
	return out
}

// checkParents finds entries that are disconnected from their predecessors.
// Such an entry is attached to the parent of its lost parent if that can still
// be read, and otherwise to the last message before it.
func (d *diagnosis) checkParents() {
	d.changeSet.parents = slices.Clone(d.parents)
	joined := newSets(d.parents)
	relinked := false
	for _, f := range d.now.state.Problems() {
		cures := false
		switch f.Kind {
		case journal.MissingParent:
			cures = d.entry(MissingParent, f.Entry, "an entry whose parent %q is not in the file", f.ID)
		case journal.SelfParent:
			cures = d.entry(SelfParent, f.Entry, "an entry that is its own parent")
		case journal.Cycle:
			cures = d.entry(Cycle, f.Entry, "an entry that is its own ancestor")
		}
		if !cures {
			continue
		}
		relinked = true
		parent := d.newParent(f, joined)
		if parent == journal.None {
			d.fix("make it a root")
			d.set(f.Entry, member{"parentId", []byte("null")})
			continue
		}
		d.fix("make it a child of entry %s, the previous one", d.idAfter(parent))
		d.changeSet.parents[f.Entry] = int32(parent)
		joined[f.Entry] = int32(joined.root(parent))
	}
	d.after = d.before
	if relinked {
		d.after = newForest(d.changeSet.parents)
	}
}

// checkRoot finds roots whose parent is not null: missing, empty, or not an id.
func (d *diagnosis) checkRoot(i int, line []byte) {
	raw, ok := jsonl.Lookup(line, "parentId")
	if ok && jsonl.IsNull(raw) || d.id(i) == "" {
		return
	}
	if d.entry(OddParent, i, "an entry whose parent is neither an ID nor null") {
		d.set(i, member{"parentId", []byte("null")})
	}
}

// tries limits the search for a parent, so that a crafted file cannot make it
// slow.
const tries = 1000

// newParent returns the new parent of a disconnected entry, or None. It is
// never below the entry itself.
func (d *diagnosis) newParent(f journal.Problem, joined sets) int {
	fits := func(i int) bool { return i != journal.None && joined.root(i) != f.Entry }
	if f.Kind == journal.MissingParent {
		if i, wasRoot := d.heir(f.ID); wasRoot || fits(i) {
			return i
		}
	}
	for i, n := f.Entry-1, 0; i >= 0 && n < tries; i, n = i-1, n+1 {
		if !d.bookkeeping(i) && fits(i) {
			return i
		}
	}
	return journal.None
}

// bookkeeping reports whether, after the repair, an entry only describes the
// session.
func (d *diagnosis) bookkeeping(i int) bool {
	return d.becomesNote(i) || d.now.state.At(i).Bookkeeping()
}

// becomesNote reports whether the repair turns an entry into a note that no
// program shows.
func (d *diagnosis) becomesNote(i int) bool {
	return slices.ContainsFunc(d.changeSet.edits[i], func(m member) bool { return m.name == "type" })
}

// repoint writes the parents that changed, by position or by id.
func (d *diagnosis) repoint() {
	for i, p := range d.changeSet.parents {
		if p == journal.None {
			continue
		}
		_, renamed := d.changeSet.ids[int(p)]
		if renamed || p != d.parents[i] {
			d.set(i, text("parentId", d.idAfter(int(p))))
		}
	}
}

// checkLeaf reports a name or a label at the end of the file that was written
// below an older entry: every program continues there, and the messages written
// since are on another branch. It may be from a window that had not seen them.
// Other kinds are what a program writes at its own leaf.
func (d *diagnosis) checkLeaf() {
	t := d.now.state
	last := t.Len() - 1
	at := last
	for at != journal.None && t.At(at).Annotates() {
		at = int(d.parents[at])
	}
	hidden, newest := 0, journal.None
	for i := at + 1; i < last; i++ {
		if t.At(i).Kind == journal.KindMessage {
			hidden, newest = hidden+1, i
		}
	}
	switch {
	case at == last || hidden == 0:
	case hidden == 1:
		d.entry(HiddenHistory, last, "the last entry hides a later message, entry %s", d.id(newest))
	default:
		d.entry(HiddenHistory, last, "the last entry hides %d later messages; the newest is entry %s", hidden, d.id(newest))
	}
}
