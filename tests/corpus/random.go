package corpus

import "math/bits"

// A random is a splitmix64 generator. It replaces the standard library's
// generators, whose helper methods may change between releases, and with them
// the bytes of every corpus.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	return mix64(r.state)
}

func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1. n must be positive.
func (r *random) below(n int) int {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int(high)
}

// between returns a number from low to high, both included.
func (r *random) between(low, high int) int { return low + r.below(high-low+1) }

// chance returns true in permille out of a thousand cases.
func (r *random) chance(permille int) bool { return r.below(1000) < permille }

// unit returns a number from 0 to just below 1.
func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

func pick[T any](r *random, from []T) T { return from[r.below(len(from))] }

// An entryID is the number of an ID with 8 hex digits.
type entryID uint32

// shuffled turns a counter into an entry ID that looks random. It is a
// bijection, so different counters never give the same ID.
func shuffled(counter, key uint32) entryID {
	z := counter ^ key
	z *= 0x85ebca6b
	z ^= z >> 13
	z *= 0xc2b2ae35
	z ^= z >> 16
	return entryID(z)
}
