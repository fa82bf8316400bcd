package tree

import (
	"maps"
	"slices"

	"github.com/pith-sessions/pith/internal/envelope"
)

// Save writes the tree, including the id index if there is one, in a form that
// Recall uses in place. It does not write the entries.
func (t *Tree) Save(w *envelope.FlatWriter) {
	t.settle()
	if t.Indexed() {
		t.index()
	}
	w.Int(int64(t.taken))
	envelope.WriteFlatList(w, t.runs)
	w.Int(int64(t.ids.seed))
	w.Int(int64(t.ids.used))
	envelope.WriteFlatList(w, t.ids.slots)
	w.Int(int64(len(t.ids.older)))
	for _, i := range slices.Sorted(maps.Keys(t.ids.older)) {
		w.Int(int64(i))
		w.Int(int64(t.ids.older[i]))
	}
	w.Int(int64(len(t.findings)))
	for _, f := range t.findings {
		w.Int(int64(f.Kind))
		w.Int(int64(f.Entry))
	}
	w.Int(int64(len(t.waiting)))
	for _, id := range slices.Sorted(maps.Keys(t.waiting)) {
		w.String(id)
		envelope.WriteFlatList(w, t.waiting[id])
	}
}

// Recall returns a saved tree over the entries that it was built from, as many
// as there were then. The tree uses the reader's data for its whole life, and
// writes to it when it grows.
func Recall(r *envelope.FlatReader, entries Entries) (*Tree, error) {
	t := &Tree{entries: entries, taken: r.Index(0, entries.Len()+1)}
	t.runs = envelope.ReadFlatList[run](r)
	t.settled = len(t.runs)
	last := -1
	for _, run := range t.runs {
		r.Check(int(run.first) > last && int(run.first) < t.taken, "runs that are not in order")
		r.Check(run.parent >= None && int(run.parent) < t.taken, "a parent that is not there")
		last = int(run.first)
	}
	r.Check((t.taken == 0) == (len(t.runs) == 0) && (len(t.runs) == 0 || t.runs[0].first == 0), "entries before the first run")
	t.recallIDs(r)
	for range r.Count() {
		kind := FindingKind(r.Index(int(MissingParent), int(DuplicateID)+1))
		t.findings = append(t.findings, Finding{Kind: kind, Entry: r.Index(0, t.taken)})
	}
	for range r.Count() {
		id := r.String()
		runs := append([]int32(nil), envelope.ReadFlatList[int32](r)...)
		for _, k := range runs {
			r.Check(0 <= k && int(k) < len(t.runs), "a run that is not there")
			t.await(id, k)
		}
	}
	return t, r.Err()
}

func (t *Tree) recallIDs(r *envelope.FlatReader) {
	x := &t.ids
	x.entries = t.entries
	x.seed = uint64(r.Int())
	x.used = r.Index(0, t.taken+1)
	x.slots = envelope.ReadFlatList[slot](r)
	size := len(x.slots)
	r.Check(size&(size-1) == 0 && 2*x.used <= size, "an index of another size")
	if size > 0 {
		x.count = t.taken
	}
	for range r.Count() {
		i, other := r.Index(0, t.taken), r.Index(0, t.taken)
		r.Check(other < i, "an entry before itself")
		if x.older == nil {
			x.older = make(map[int32]int32)
		}
		x.older[int32(i)] = int32(other)
	}
}
