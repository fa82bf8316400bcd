package tree

import "slices"

// settle links entries that stand in the file before their parents. Such files
// come from programs that reorder what they rewrite. Only these links can make
// a circle, so only then is the forest searched for one.
func (t *Tree) settle() {
	if !t.unsettled {
		return
	}
	t.unsettled = false
	for id, kids := range t.waiting {
		all := t.ids.all(id)
		if len(all) == 0 {
			continue
		}
		delete(t.waiting, id)
		k := 0 // both lists are in file order: one walk over them
		for _, i := range kids {
			for k < len(all)-1 && all[k] < i {
				k++
			}
			t.parents[i] = all[k]
		}
	}
	t.cutCycles()
	t.relink()
}

// cutCycles makes the first entry of every circle a root. Each entry is walked
// over once: a walk up stops at what an earlier walk has seen.
func (t *Tree) cutCycles() {
	const unseen = 0
	mark := make([]int32, len(t.parents)) // the number of the walk that first came through an entry
	for start := range t.parents {
		walk := int32(start) + 1
		i := int32(start)
		for i != None && mark[i] == unseen {
			mark[i] = walk
			i = t.parents[i]
		}
		if i != None && mark[i] == walk {
			first := i
			for k := t.parents[i]; k != i; k = t.parents[k] {
				first = min(first, k)
			}
			t.parents[first] = None
			t.report(Finding{Kind: Cycle, Entry: int(first)})
		}
	}
}

func (t *Tree) relink() {
	t.roots = t.roots[:0]
	for i := range t.parents {
		t.first[i], t.last[i], t.next[i] = None, None, None
	}
	for i := range t.parents {
		t.link(int32(i))
	}
}

// Findings are the faults of the tree, in file order of the entries they are
// about. Missing parents are among them as long as the parent has not come.
func (t *Tree) Findings() []Finding {
	t.settle()
	out := slices.Clone(t.findings)
	for id, kids := range t.waiting {
		for _, i := range kids {
			out = append(out, Finding{Kind: MissingParent, Entry: int(i), ID: id})
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return a.Entry - b.Entry })
	return out
}

func (t *Tree) report(f Finding) { t.findings = append(t.findings, f) }

// A FindingKind says what is wrong with an entry's place.
type FindingKind uint8

// What can be wrong with an entry's place.
const (
	MissingParent FindingKind = iota + 1 // no entry has the parent's id; shown as a root
	SelfParent                           // an entry is its own parent; shown as a root
	Cycle                                // an entry is its own ancestor; shown as a root
	DuplicateID                          // an earlier entry has the same id; both are shown
)

var findingTexts = map[FindingKind]string{
	MissingParent: "its parent is not in the file; shown as a separate root",
	SelfParent:    "it is its own parent; shown as a separate root",
	Cycle:         "it is its own ancestor; shown as a separate root",
	DuplicateID:   "its id was used before; both entries are kept",
}

func (k FindingKind) String() string { return findingTexts[k] }

var findingCodes = map[FindingKind]string{
	MissingParent: "missing-parent", SelfParent: "self-parent", Cycle: "cycle", DuplicateID: "duplicate-id",
}

// Code is the kind's stable name, for programs.
func (k FindingKind) Code() string { return findingCodes[k] }

// A Finding is a fault of the tree.
type Finding struct {
	Kind  FindingKind
	Entry int    // the entry it is about
	ID    string // MissingParent: the id that is missing
}
