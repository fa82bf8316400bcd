package tree

import (
	"iter"
	"slices"
	"sort"
)

// A Row is an immutable list of entries, such as a path. It is stored as
// stretches of consecutive entries of the file, so the path of a long
// conversation takes little memory. Positions count from 0. The zero Row is
// empty. A Row is safe for concurrent use.
type Row struct{ stretches stretches }

// A stretch is a part of a row: the entries from first on, up to position end
// of the row. While a path is being built from its end, end is the length of
// the stretch.
type stretch struct{ first, end int }

type stretches []stretch

// start returns the position at which a stretch starts.
func (s stretches) start(k int) int {
	if k == 0 {
		return 0
	}
	return s[k-1].end
}

func (s stretches) len(k int) int { return s[k].end - s.start(k) }

// turn reverses stretches that were collected from last to first.
func (r *Row) turn() {
	slices.Reverse(r.stretches)
	end := 0
	for k := range r.stretches {
		end += r.stretches[k].end
		r.stretches[k].end = end
	}
}

// AllOf returns the row of the first n entries.
func AllOf(n int) Row {
	if n == 0 {
		return Row{}
	}
	return Row{stretches{{0, n}}}
}

// Len returns the number of entries.
func (r Row) Len() int {
	if len(r.stretches) == 0 {
		return 0
	}
	return r.stretches[len(r.stretches)-1].end
}

// At returns the entry at a position.
func (r Row) At(pos int) int {
	k := 0
	if len(r.stretches) > 1 {
		k = r.stretchAt(pos)
	}
	return r.stretches[k].first + pos - r.stretches.start(k)
}

func (r Row) stretchAt(pos int) int {
	low, high := 0, len(r.stretches)-1
	for low < high {
		middle := int(uint(low+high) / 2)
		if r.stretches[middle].end > pos {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// All yields positions and entries in order.
func (r Row) All() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		pos := 0
		for _, s := range r.stretches {
			for i := s.first; pos < s.end; i, pos = i+1, pos+1 {
				if !yield(pos, i) {
					return
				}
			}
		}
	}
}

// Position returns the first position of an entry in the row, or None.
func (r Row) Position(i int) int {
	for k, s := range r.stretches {
		if s.first <= i && i < s.first+r.stretches.len(k) {
			return r.stretches.start(k) + i - s.first
		}
	}
	return None
}

// LastOf returns the last position before the given one of an entry in list, or
// None. The list must be in ascending order. LastOf takes at most one binary
// search for each stretch of the row.
func (r Row) LastOf(list []int32, before int) int {
	for k := len(r.stretches) - 1; k >= 0; k-- {
		start, first := r.stretches.start(k), r.stretches[k].first
		if start >= before {
			continue
		}
		end := first + min(before, r.stretches[k].end) - start
		n := sort.Search(len(list), func(n int) bool { return int(list[n]) >= end })
		if n > 0 && int(list[n-1]) >= first {
			return start + int(list[n-1]) - first
		}
	}
	return None
}
