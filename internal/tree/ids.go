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
	slots []int32 // index + 1 of the last entry of an id; 0 is free
	used  int
	seed  maphash.Seed
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
	x.slots = make([]int32, size)
	for _, s := range old {
		if s != 0 {
			x.slots[x.slot(x.names[s-1])] = s
		}
	}
}

// slot is where an id is, or would be put.
func (x *ids) slot(id string) int {
	mask := len(x.slots) - 1
	h := int(maphash.String(x.seed, id)) & mask
	for x.slots[h] != 0 && x.names[x.slots[h]-1] != id {
		h = (h + 1) & mask
	}
	return h
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
	h := x.slot(id)
	other := x.slots[h] - 1
	x.slots[h] = i + 1
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
	return x.slots[x.slot(id)] - 1
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
