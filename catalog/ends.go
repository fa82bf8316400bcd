package catalog

import "hash/maphash"

// ends are the entries without children, each with the state of its path. They
// are stored in the index so that appended lines can be added without reading
// the lines before: an entry whose parent is not an end starts a branch,
// whatever that parent is.
type ends struct {
	any    bool // an entry was added
	last   []byte
	state  state            // at last, the leaf
	others map[string]state // all ends but last
	trail  trail
}

func (e *ends) reset() { *e = ends{last: e.last[:0], trail: e.trail.emptied()} }

// add adds the next entry. It changes the state of its path if decides is set.
// An entry without an id, as old versions wrote it, follows the entry before.
func (e *ends) add(id, parent []byte, decided state, decides bool) {
	if len(id) == 0 {
		parent = e.last
	}
	at := e.state
	if e.any && string(parent) != string(e.last) {
		at = e.leave(parent)
	}
	if decides {
		at = decided
	}
	e.any, e.state = true, at
	if len(id) > 0 {
		e.last = append(e.last[:0], id...)
		e.trail.add(id, at)
	}
}

// leave continues at a parent other than the last entry. It returns the state
// there.
func (e *ends) leave(parent []byte) state {
	if e.others == nil {
		e.others = map[string]state{}
	}
	e.others[string(e.last)] = e.state
	if len(parent) == 0 {
		return stateEmpty
	}
	if at, ok := e.others[string(parent)]; ok {
		delete(e.others, string(parent))
		return at
	}
	return e.trail.find(parent)
}

func (e *ends) count() int {
	if !e.any {
		return 0
	}
	return len(e.others) + 1
}

// A trail contains the state at every entry that was read, by a hash of its id,
// for branches that start in the middle.
type trail struct {
	steps  []step
	looked int            // number of steps looked at
	index  map[uint64]int // index of the steps; nil until many were looked at
	late   bool           // reading started in the middle of the file
}

type step struct {
	id uint64
	at state
}

var trailSeed = maphash.MakeSeed()

func (t *trail) emptied() trail { return trail{steps: t.steps[:0]} }

func (t *trail) add(id []byte, at state) {
	h := maphash.Bytes(trailSeed, id)
	t.steps = append(t.steps, step{h, at})
	if t.index != nil {
		t.index[h] = len(t.steps) - 1
	}
}

// find returns the state at the last entry with that id. A parent is usually
// near; if parents are often far away, an index of all steps is built.
func (t *trail) find(id []byte) state {
	const patience = 4 // steps per entry
	h := maphash.Bytes(trailSeed, id)
	for i := len(t.steps) - 1; i >= 0 && t.index == nil; i-- {
		if t.steps[i].id == h {
			return t.steps[i].at
		}
		if t.looked++; t.looked > 1000+patience*len(t.steps) {
			t.index = make(map[uint64]int, len(t.steps))
			for i, s := range t.steps {
				t.index[s.id] = i
			}
		}
	}
	if i, ok := t.index[h]; ok {
		return t.steps[i].at
	}
	if t.late {
		return stateUnknown
	}
	return stateEmpty
}
