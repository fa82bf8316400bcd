// Package bitset implements sets of small numbers that know the order of their
// members: how many are below a number, and which is the k-th.
package bitset

import (
	"math/bits"
	"sort"
)

// A Set contains numbers from 0 up to the size it was made for.
type Set struct {
	words []uint64
	// below has the number of members before each group of words. It is set by
	// Count.
	below []int32
}

// group is the number of words in a group.
const group = 8

// New returns an empty set for the numbers below n.
func New(n int) Set { return Set{words: make([]uint64, (n+63)/64)} }

// Add adds a number. It must not be called after Count.
func (s *Set) Add(i int) { s.words[i/64] |= 1 << (i % 64) }

// Has reports whether a number is in the set.
func (s *Set) Has(i int) bool { return s.words[i/64]>>(i%64)&1 == 1 }

// Count returns the number of members. It must be called after the last Add, and
// before Rank and Select.
func (s *Set) Count() int {
	count := 0
	s.below = make([]int32, 0, (len(s.words)+group-1)/group)
	for i, w := range s.words {
		if i%group == 0 {
			s.below = append(s.below, int32(count))
		}
		count += bits.OnesCount64(w)
	}
	return count
}

// Rank returns the number of members below i.
func (s *Set) Rank(i int) int {
	word := i / 64
	if word == len(s.words) {
		if word == 0 {
			return 0
		}
		return s.Rank(i-1) + bits.OnesCount64(s.words[word-1]>>63)
	}
	count := int(s.below[word/group])
	for _, w := range s.words[word/group*group : word] {
		count += bits.OnesCount64(w)
	}
	return count + bits.OnesCount64(s.words[word]&(1<<(i%64)-1))
}

// Select returns the member with k members below it, which must exist.
func (s *Set) Select(k int) int {
	at := sort.Search(len(s.below), func(i int) bool { return int(s.below[i]) > k }) - 1
	k -= int(s.below[at])
	word := at * group
	for n := bits.OnesCount64(s.words[word]); n <= k; n = bits.OnesCount64(s.words[word]) {
		k -= n
		word++
	}
	w := s.words[word]
	for range k {
		w &= w - 1 // without its lowest member
	}
	return word*64 + bits.TrailingZeros64(w)
}

// Next returns the lowest member that is at least i, which must exist.
func (s *Set) Next(i int) int {
	word := i / 64
	w := s.words[word] >> (i % 64) << (i % 64)
	for w == 0 {
		word++
		w = s.words[word]
	}
	return word*64 + bits.TrailingZeros64(w)
}
