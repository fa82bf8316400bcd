package tree

import (
	"hash/maphash"
	"slices"
)

// ids finds entries by id. It is a hash table of indices with linear probing:
// a fifth of the memory of a Go map from strings, and no work for the garbage
// collector. Entries of the same id are chained from the last to the first.
type ids struct {
	names []string
	older []int32 // per entry: the entry before it with the same id, or None; nil until an id occurs twice
	slots []slot
	used  int
	seed  maphash.Seed
}

// A slot holds index + 1 of the last entry of an id; 0 is free. Part of the hash
// stands beside it, so that other ids are passed over without looking at them:
// they are elsewhere in memory, and waiting for that is what a search costs.
type slot struct {
	entry int32
	hash  uint32
}

func (x *ids) grow(n int) {
	x.names = grow(x.names, n)
	x.reserve(x.used + n)
}

// reserve keeps the table at most half full.
func (x *ids) reserve(n int) {
	if 2*n <= len(x.slots) {
		return
	}
	if len(x.slots) == 0 {
		x.seed = maphash.MakeSeed()
	}
	size := 16
	for size < 2*n {
		size *= 2
	}
	old := x.slots
	x.slots = make([]slot, size)
	for _, s := range old {
		if s.entry != 0 {
			h, _ := x.place(x.names[s.entry-1])
			x.slots[h] = s
		}
	}
}

// place is where an id is, or would be put, and the part of its hash that
// stands there.
func (x *ids) place(id string) (int, uint32) {
	mask := len(x.slots) - 1
	sum := maphash.String(x.seed, id)
	h, part := int(sum)&mask, uint32(sum>>32)
	for {
		s := x.slots[h]
		if s.entry == 0 || s.hash == part && x.names[s.entry-1] == id {
			return h, part
		}
		h = (h + 1) & mask
	}
}

// put adds entry i, which must be the next one, and reports whether its id
// occurred before. An empty id is no id.
func (x *ids) put(id string, i int32) (again bool) {
	x.names = append(x.names, id)
	if x.older != nil {
		x.older = append(x.older, None)
	}
	if id == "" {
		return false
	}
	x.reserve(x.used + 1)
	h, part := x.place(id)
	other := x.slots[h].entry - 1
	x.slots[h] = slot{i + 1, part}
	if other == None {
		x.used++
		return false
	}
	if x.older == nil {
		x.older = make([]int32, len(x.names), cap(x.names))
		for k := range x.older {
			x.older[k] = None
		}
	}
	x.older[i] = other
	return true
}

// find is the last entry of an id, or None.
func (x *ids) find(id string) int32 {
	if len(x.slots) == 0 || id == "" {
		return None
	}
	h, _ := x.place(id)
	return x.slots[h].entry - 1
}

// all are the entries of an id in file order.
func (x *ids) all(id string) []int32 {
	var out []int32
	for k := x.find(id); k != None; {
		out = append(out, k)
		if x.older == nil {
			break
		}
		k = x.older[k]
	}
	slices.Reverse(out)
	return out
}
