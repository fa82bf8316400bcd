package tree

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// settle finds the parents of all runs. There are usually few runs, and a
// parent is not far before its child, so this rarely needs an index of all ids.
func (t *Tree) settle() {
	for t.settled < len(t.runs) && !t.Indexed() && t.lookBack(t.settled) {
		t.settled++
	}
	if t.settled < len(t.runs) || len(t.waiting) > 0 {
		t.index()
	}
}

// patience is the number of steps back, per entry, to take in search of
// parents. They cost less than building the index.
const patience = 2

// lookBack searches for the parent of a run in the entries before it. It
// returns false if the search becomes too expensive or the parent is not there.
func (t *Tree) lookBack(k int) bool {
	first := int(t.runs[k].first)
	parent := []byte(t.entries.Parent(first))
	if len(parent) == 0 {
		return true
	}
	for i := first - 1; i >= 0 && t.looked < patience*t.taken; i-- {
		t.looked++
		if t.ids.has(i, parent) {
			t.runs[k].parent = int32(i)
			return true
		}
	}
	return false
}

// Indexed reports whether there is an id index. New entries are added to it
// when it is used.
func (t *Tree) Indexed() bool { return t.ids.count > 0 }

// index adds the ids of all entries to the id index. The parent of a run is
// looked up when the index holds exactly the entries before the run.
func (t *Tree) index() {
	if t.ids.count == t.taken {
		return
	}
	t.ids.reserve(t.ids.used + t.taken - t.ids.count)
	came := false // a parent that runs wait for has appeared
	var id []byte
	for i := t.ids.count; i < t.taken; i++ {
		id = t.entries.AppendID(id[:0], i)
		if t.settled < len(t.runs) && int(t.runs[t.settled].first) == i {
			t.place(t.settled)
			t.settled++
		}
		if t.ids.put(id) {
			t.report(Finding{Kind: DuplicateID, Entry: i})
		}
		if len(t.waiting) > 0 {
			_, hoped := t.waiting[string(id)]
			came = came || hoped
		}
	}
	if came {
		t.join()
	}
}

// place finds the parent of a run. If the run names a parent, the index must
// hold the ids of exactly the entries before it.
func (t *Tree) place(k int) {
	r := &t.runs[k]
	switch parent := t.entries.Parent(int(r.first)); {
	case parent == "":
	case t.ids.has(int(r.first), []byte(parent)): // an earlier entry with the same id, if any
		if r.parent = t.ids.find([]byte(parent)); r.parent == None {
			t.report(Finding{Kind: SelfParent, Entry: int(r.first)})
		}
	default:
		if r.parent = t.ids.find([]byte(parent)); r.parent == None {
			t.await(parent, int32(k))
		}
	}
}

func (t *Tree) await(id string, k int32) {
	if t.waiting == nil {
		t.waiting = make(map[string][]int32)
	}
	t.waiting[strings.Clone(id)] = append(t.waiting[id], k)
}

// join links runs that precede their parents in the file. Such files come from
// programs that reorder entries when they rewrite a file. Only these links can
// form a cycle, so only then join searches for one.
func (t *Tree) join() {
	for id, runs := range t.waiting {
		all := t.ids.all([]byte(id))
		if len(all) == 0 {
			continue
		}
		delete(t.waiting, id)
		for _, k := range runs {
			t.runs[k].parent = all[0] // no earlier entry has the id, or the run would not wait
		}
	}
	t.cutCycles()
	t.kids = nil
}

// cutCycles makes the first entry of every cycle a root. A cycle always passes
// through the start of a run, so it is enough to follow the runs. Each run is
// visited once: a walk stops at a run that an earlier walk has seen.
func (t *Tree) cutCycles() {
	const unseen = 0
	mark := make([]int32, len(t.runs)) // number of the walk that first visited the run
	for start := range t.runs {
		walk := int32(start) + 1
		k := start
		for k != None && mark[k] == unseen {
			mark[k] = walk
			k = t.above(k)
		}
		if k != None && mark[k] == walk {
			first := k
			for n := t.above(k); n != k; n = t.above(n) {
				first = min(first, n)
			}
			t.runs[first].parent = None
			t.report(Finding{Kind: Cycle, Entry: int(t.runs[first].first)})
		}
	}
}

// above returns the run that contains the parent of a run, or None.
func (t *Tree) above(k int) int {
	parent := t.runs[k].parent
	if parent == None {
		return None
	}
	return t.runOf(int(parent))
}

// Findings returns the faults of the tree, in file order of the entries. They
// include missing parents until the parent is added.
func (t *Tree) Findings() []Finding {
	t.settle()
	if t.Indexed() || t.repeats() {
		t.index()
	}
	out := slices.Clone(t.findings)
	for id, runs := range t.waiting {
		for _, k := range runs {
			out = append(out, Finding{Kind: MissingParent, Entry: int(t.runs[k].first), ID: id})
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return a.Entry - b.Entry })
	return out
}

// repeats reports whether an id occurs twice. It costs a fifth of building the
// index: each id sets one bit in a table of sixteen bits per entry, and only
// ids that share a bit are compared. A large table is made in parts, one after
// the other.
func (t *Tree) repeats() bool {
	size := bits.Len(uint(16 * t.taken))
	part := min(size, mostBits)
	seen, shared := make([]uint64, 1<<part/64+1), make([]uint64, 1<<part/64+1)
	for k := range 1 << (size - part) {
		clear(seen)
		clear(shared)
		if t.repeatsIn(uint64(k), part, seen, shared) {
			return true
		}
	}
	return false
}

// mostBits is the logarithm of the largest part of a table. It is a variable for
// tests.
var mostBits = 25

// repeatsIn is repeats for part k of a table, with 1<<size bits.
func (t *Tree) repeatsIn(k uint64, size int, seen, shared []uint64) bool {
	var id []byte // of the entry that bit was called for
	parts := uint64(1)<<(bits.Len(uint(16*t.taken))-size) - 1
	bit := func(i int) (word int, bit uint64) {
		id = t.entries.AppendID(id[:0], i)
		h := hash(t.ids.seed, id)
		if h>>size&parts != k {
			return 0, 0
		}
		h &= 1<<size - 1
		return int(h / 64), 1 << (h % 64)
	}
	for i := range t.taken {
		word, bit := bit(i)
		shared[word] |= seen[word] & bit
		seen[word] |= bit
	}
	compared := map[string]bool{}
	for i := range t.taken {
		if word, bit := bit(i); shared[word]&bit == 0 {
			continue
		}
		if len(id) > 0 {
			if compared[string(id)] {
				return true
			}
			compared[string(id)] = true
		}
	}
	return false
}

func (t *Tree) report(f Finding) { t.findings = append(t.findings, f) }

// A FindingKind is a kind of fault in an entry's links.
type FindingKind uint8

// The kinds of findings.
const (
	MissingParent FindingKind = iota + 1 // no entry has the parent's id; shown as a root
	SelfParent                           // an entry is its own parent; shown as a root
	Cycle                                // an entry is its own ancestor; shown as a root
	DuplicateID                          // an earlier entry has the same id; both are shown
)

var findingCodes = map[FindingKind]string{
	MissingParent: "missing-parent", SelfParent: "self-parent", Cycle: "cycle", DuplicateID: "duplicate-id",
}

// Code returns the stable name of the kind, for programs.
func (k FindingKind) Code() string { return findingCodes[k] }

// A Finding is a fault of the tree.
type Finding struct {
	Kind  FindingKind
	Entry int    // the entry concerned
	ID    string // MissingParent: the missing id
}

// String returns a sentence about the entry.
func (f Finding) String() string {
	switch f.Kind {
	case MissingParent:
		return fmt.Sprintf("its parent %q is not in the file; shown as a separate root", f.ID)
	case SelfParent:
		return "it is its own parent; shown as a separate root"
	case Cycle:
		return "it is its own ancestor; shown as a separate root"
	}
	return "its ID was used before; both entries are kept"
}
