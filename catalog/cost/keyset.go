package cost

import (
	"hash/maphash"
	"math/bits"

	"github.com/pith-sessions/pith/internal/spending"
)

// A keySet is a set of fingerprints. Its keys are in the order in which they
// were added, so that adding one reads little memory that is not in a cache: a
// map takes three times as long, which was a third of the time of a report.
type keySet struct {
	keys  []spending.Fingerprint
	slots []uint32 // 1 + index of a key; 0 if free
	seed  maphash.Seed
}

// newKeySet returns an empty set with room for n keys. No more may be added.
func newKeySet(n int) *keySet {
	return &keySet{
		keys:  make([]spending.Fingerprint, 0, n),
		slots: make([]uint32, 1<<bits.Len(uint(2*n))),
		seed:  maphash.MakeSeed(),
	}
}

// add adds a key. It returns false if the set has it already.
func (s *keySet) add(key spending.Fingerprint) bool {
	mask := uint64(len(s.slots) - 1)
	// A session may contain responses that were made up to have similar
	// fingerprints, so these are hashed once more.
	for at := maphash.Bytes(s.seed, key[:]) & mask; ; at = (at + 1) & mask {
		switch i := s.slots[at]; {
		case i == 0:
			s.keys = append(s.keys, key)
			s.slots[at] = uint32(len(s.keys))
			return true
		case s.keys[i-1] == key:
			return false
		}
	}
}
