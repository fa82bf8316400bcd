package catalog

import "hash/maphash"

// ends are the entries that nothing follows, and how the path to each ended.
// They are kept so that appended lines can be added to them without a look at
// the lines before: an entry whose parent is no end begins a branch, whatever
// that parent is.
type ends struct {
	any    bool // there is an entry
	last   []byte
	state  state            // at last
	others map[string]state // all ends but last
	stand  state            // where the session stands: names and labels have no say in that
	trail  trail
}

func (e *ends) reset() { *e = ends{last: e.last[:0], trail: e.trail.emptied()} }

// add takes the next entry, which changes the state of its path if decides is
// set, and does not say where the session stands if it is a note. An entry
// without an id, which old versions wrote, follows the one before.
func (e *ends) add(id, parent []byte, decided state, decides, note bool) {
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
	if !note {
		e.stand = at
	}
	if len(id) > 0 {
		e.last = append(e.last[:0], id...)
		e.trail.add(id, at)
	}
}

// leave goes on at another parent than the last entry. It returns the state
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

// count is the number of ends.
func (e *ends) count() int {
	if !e.any {
		return 0
	}
	return len(e.others) + 1
}

// A trail is the state at every entry that was read, by a hash of its id, for
// those who go on in the middle.
type trail struct {
	steps  []step
	looked int            // steps that were looked at
	index  map[uint64]int // of the steps; nil until many were looked at
	late   bool           // the reading began in the middle of the file
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

// find is the state at the last entry of that id. A parent is mostly not far; where
// it is, an index of all pays.
func (t *trail) find(id []byte) state {
	const patience = 4 // steps for each entry
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
