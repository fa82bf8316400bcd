package tree

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// ids finds entries by id. It is a hash table of indices with linear probing:
// it takes a fifth of the memory of a Go map of strings and no work by the
// garbage collector. Of several entries with the same id it holds the last, to
// which the others are chained.
type ids struct {
	entries Entries
	count   int // number of entries added
	used    int // number of slots in use
	slots   []slot
	older   map[int32]int32 // entry to the previous entry with the same id
	seed    uint64
	buf     []byte // of has
}

// A slot holds the index + 1 of the last entry with an id; 0 is free. It also
// holds part of the hash, so that a search skips other ids without reading
// them: they are far away in memory, and those cache misses dominate the cost
// of a search.
type slot struct {
	entry int32
	hash  uint32
}

// newIDs returns an empty table. The random seed prevents a file from choosing
// ids that all collide.
func newIDs(entries Entries) ids { return ids{entries: entries, seed: rand.Uint64()} }

// reserve makes room for n ids. The table is at most half full.
func (x *ids) reserve(n int) {
	if 2*n <= len(x.slots) {
		return
	}
	size := 16
	for size < 2*n {
		size *= 2
	}
	old := x.slots
	x.slots = make([]slot, size)
	var id []byte
	for _, s := range old {
		if s.entry != 0 {
			id = x.entries.AppendID(id[:0], int(s.entry-1))
			h, _ := x.place(id)
			x.slots[h] = s
		}
	}
}

// has reports whether an entry has an id.
func (x *ids) has(i int, id []byte) bool {
	x.buf = x.entries.AppendID(x.buf[:0], i)
	return string(x.buf) == string(id)
}

// place returns the slot of an id, or the free slot for it, and the part of its
// hash that the slot holds.
func (x *ids) place(id []byte) (int, uint32) {
	mask := len(x.slots) - 1
	sum := hash(x.seed, id)
	h, part := int(sum)&mask, uint32(sum>>32)
	for {
		s := x.slots[h]
		if s.entry == 0 || s.hash == part && x.has(int(s.entry-1), id) {
			return h, part
		}
		h = (h + 1) & mask
	}
}

// put adds the next entry and reports whether its id occurred before. An empty
// id does not count.
func (x *ids) put(id []byte) (again bool) {
	i := int32(x.count)
	x.count++
	if len(id) == 0 {
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
		x.older = make(map[int32]int32)
	}
	x.older[i] = other
	return true
}

// find returns the last entry with an id, or None.
func (x *ids) find(id []byte) int32 {
	if len(x.slots) == 0 || len(id) == 0 {
		return None
	}
	h, _ := x.place(id)
	return x.slots[h].entry - 1
}

// all returns the entries with an id in file order.
func (x *ids) all(id []byte) []int32 {
	var out []int32
	for k, more := x.find(id), true; more && k != None; k, more = x.older[k] {
		out = append(out, k)
	}
	slices.Reverse(out)
	return out
}

// hash mixes the bytes of an id with a seed. It does not use package maphash,
// because another process must be able to read a saved table.
func hash(seed uint64, id []byte) uint64 {
	const odd = 0x9E3779B97F4A7C15 // the golden ratio
	h := seed ^ uint64(len(id))*odd
	for ; len(id) >= 8; id = id[8:] {
		h = mix(h^binary.LittleEndian.Uint64(id), odd)
	}
	if len(id) > 0 {
		var last [8]byte
		copy(last[:], id)
		h = mix(h^binary.LittleEndian.Uint64(last[:]), odd)
	}
	return mix(h^seed, odd)
}

// mix spreads the bits of a over the result.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
