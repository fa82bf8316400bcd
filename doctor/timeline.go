package doctor

import (
	"sort"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

// newTimes returns the times to change so that no entry is older than its
// parent. It divides the tree into lines of conversation, each from where it
// branches off to its newest end. In each line it changes as few entries as
// possible: those outside the longest nondecreasing subsequence of times. So a
// wrong clock for one entry changes only that entry.
func newTimes(f *forest, table *envelope.Table) map[int]int64 {
	n := table.Len()
	inOrder, newest := make([]int32, n), make([]int32, n) // in traversal order; last child
	for i := range n {
		inOrder[f.enter[i]], newest[i] = int32(i), tree.None
	}
	for i := range n {
		if p := f.parents[i]; p != tree.None {
			newest[p] = int32(i)
		}
	}
	t := timeline{table: table, settled: make([]int64, n), changed: make(map[int]int64)}
	for _, i := range inOrder {
		p := f.parents[i]
		if p != tree.None && newest[p] == i {
			continue // part of a line that is done
		}
		t.line = t.line[:0]
		for k := i; k != tree.None; k = newest[k] {
			t.line = append(t.line, k)
		}
		from := int64(envelope.NoTime)
		if p != tree.None {
			from = t.settled[p]
		}
		t.settle(from)
	}
	return t.changed
}

// orderedTime returns the time of an entry, or NoTime for a label. The time of
// a label is when it was set, and forks rewrite labels after later entries.
func orderedTime(t *envelope.Table, i int) int64 {
	if kind, _ := t.Kind(i); kind == envelope.KindLabel {
		return envelope.NoTime
	}
	return t.Time(i)
}

// A timeline settles the times of one line of conversation after another.
type timeline struct {
	table   *envelope.Table
	settled []int64 // times of entries of finished lines; NoTime before the first
	changed map[int]int64
	line    []int32
}

// time returns the time at an index of the line.
func (t *timeline) time(k int) int64 { return orderedTime(t.table, int(t.line[k])) }

// settle gives the entries of the line nondecreasing times that are not before
// from. Entries outside the longest run get the time of the previous entry; at
// the start, where there is none, that of the first one of the run.
func (t *timeline) settle(from int64) {
	run := t.longestRun(from)
	at := from
	if at == envelope.NoTime && len(run) > 0 {
		at = t.time(run[0])
	}
	for k, i := range t.line {
		own := t.time(k)
		switch {
		case len(run) > 0 && run[0] == k:
			at, run = own, run[1:]
		case own != envelope.NoTime && own != at:
			t.changed[int(i)] = at
		}
		t.settled[i] = at
	}
}

// longestRun returns the longest nondecreasing subsequence of times in the line
// that are not before from, as indices.
func (t *timeline) longestRun(from int64) []int {
	var ends []int                     // for each length, the index where the best run ends: the one with the earliest end
	before := make([]int, len(t.line)) // previous index in the run, or -1
	for k := range t.line {
		at := t.time(k)
		if at == envelope.NoTime || at < from {
			continue
		}
		n := sort.Search(len(ends), func(n int) bool { return t.time(ends[n]) > at })
		before[k] = -1
		if n > 0 {
			before[k] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, k)
		} else {
			ends[n] = k
		}
	}
	run := make([]int, len(ends))
	for n, k := len(ends)-1, -1; n >= 0; n-- {
		if k < 0 {
			k = ends[n]
		} else {
			k = before[k]
		}
		run[n] = k
	}
	return run
}
