package picker

import (
	"cmp"
	"slices"

	"github.com/pith-sessions/pith/catalog"
)

// A sorting is the order of the list.
type sorting uint8

const (
	threaded sorting = iota
	recent
	relevance
	sortingCount
)

var sortingNames = [sortingCount]string{"Threaded", "Recent", "Relevance"}

// A filter selects and sorts sessions.
type filter struct {
	query    typed
	sort     sorting
	named    bool // only those with a name
	noForks  bool
	archived bool // include archived ones
}

// rows returns the rows of the sessions that pass, in order. hidden is the
// number that would pass if they were not archived.
func (f *filter) rows(items []*Item, found *hits) (rows []row, hidden int) {
	kept := make([]*Item, 0, len(items))
	for _, it := range items {
		switch {
		case f.named && !it.named(), f.noForks && it.ParentKey != "", !f.query.passes(it):
		case it.Marks.Archived && !f.archived && !f.query.Has("archived"):
			_, inBody := found.of(it.Path)
			if _, fits := f.query.match(it, inBody); fits {
				hidden++
			}
		default:
			kept = append(kept, it)
		}
	}
	if f.sort == threaded && f.query.blank && !f.query.ofEntries && len(f.query.Words) == 0 {
		return thread(kept), hidden
	}
	rows = make([]row, 0, len(kept))
	for _, it := range kept {
		_, inBody := found.of(it.Path)
		if score, ok := f.query.match(it, inBody); ok {
			rows = append(rows, row{item: it, score: score})
		}
	}
	f.order(rows)
	return rows, hidden
}

func (f *filter) order(rows []row) {
	byTime := f.query.blank || f.sort == recent
	slices.SortStableFunc(rows, func(a, b row) int {
		newer := catalog.ByRecency(&a.item.Info, &b.item.Info)
		if byTime {
			return newer
		}
		return cmp.Or(cmp.Compare(a.score, b.score), newer)
	})
	if byTime {
		pinnedFirst(rows)
	}
}

// pinnedFirst moves the rows of pinned sessions before the others, which keep
// their order.
func pinnedFirst(rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int { return rank(a.item.Marks.Pinned) - rank(b.item.Marks.Pinned) })
}

func rank(pinned bool) int {
	if pinned {
		return 0
	}
	return 1
}

// A row is one session as shown.
type row struct {
	item  *Item
	depth int
	last  bool   // it is the last of its siblings
	bars  []bool // for the levels above: a sibling follows further down
	score float64
}

// thread sorts sessions so that forks are below their parents: threads with a
// pinned session first, then the most recently used one. A cycle of parents is
// broken at its newest session (R1). It does not recurse.
func thread(items []*Item) []row {
	byKey := make(map[string]int, 2*len(items))
	for i, it := range items {
		byKey[it.ID] = i // a fork of a session in a database names its parent so
	}
	for i, it := range items {
		byKey[it.Key] = i
	}
	parent := make([]int, len(items))
	children := make([][]int, len(items))
	for i, it := range items {
		parent[i] = -1
		if p, ok := byKey[it.ParentKey]; ok && it.ParentKey != "" && p != i {
			parent[i] = p
		}
	}
	openCircles(items, parent)
	var roots []int
	for i, p := range parent {
		if p < 0 {
			roots = append(roots, i)
		} else {
			children[p] = append(children[p], i)
		}
	}
	newest, pinned := below(items, parent, children, roots)
	order := func(a, b int) int { return cmp.Or(rank(pinned[a])-rank(pinned[b]), cmp.Compare(newest[b], newest[a])) }
	slices.SortStableFunc(roots, order)
	for _, c := range children {
		slices.SortStableFunc(c, order)
	}
	return flatten(items, children, roots)
}

// openCircles turns one session of every cycle into a root.
func openCircles(items []*Item, parent []int) {
	state := make([]int, len(parent)) // 0 if not seen, otherwise the walk that saw it
	for start := range parent {
		i := start
		for i >= 0 && state[i] == 0 {
			state[i] = start + 1
			i = parent[i]
		}
		if i < 0 || state[i] != start+1 {
			continue
		}
		newest := i
		for k := parent[i]; k != i; k = parent[k] {
			if items[k].Modified.After(items[newest].Modified) {
				newest = k
			}
		}
		parent[newest] = -1
	}
}

// below returns, for each session, the time of the last message in it or in its
// forks, and whether one of them is pinned.
func below(items []*Item, parent []int, children [][]int, roots []int) (newest []int64, pinned []bool) {
	newest, pinned = make([]int64, len(items)), make([]bool, len(items))
	order := slices.Clone(roots)
	for k := 0; k < len(order); k++ {
		order = append(order, children[order[k]]...)
	}
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		newest[i] = max(newest[i], items[i].Modified.UnixMilli())
		pinned[i] = pinned[i] || items[i].Marks.Pinned
		if p := parent[i]; p >= 0 {
			newest[p] = max(newest[p], newest[i])
			pinned[p] = pinned[p] || pinned[i]
		}
	}
	return newest, pinned
}

func flatten(items []*Item, children [][]int, roots []int) []row {
	type step struct {
		i     int
		depth int
		last  bool
		bars  []bool
	}
	rows := make([]row, 0, len(items))
	var todo []step
	push := func(list []int, depth int, bars []bool) {
		for k := len(list) - 1; k >= 0; k-- {
			todo = append(todo, step{list[k], depth, k == len(list)-1, bars})
		}
	}
	push(roots, 0, nil)
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		rows = append(rows, row{item: items[s.i], depth: s.depth, last: s.last, bars: s.bars})
		if len(children[s.i]) > 0 {
			bars := append(slices.Clone(s.bars[max(0, len(s.bars)-mostBars):]), s.depth > 0 && !s.last)
			push(children[s.i], s.depth+1, bars)
		}
	}
	return rows
}

// mostBars is the maximum depth at which threads are drawn.
const mostBars = 12

// prefix returns the thread drawing before the text of a row.
func (r *row) prefix() string {
	if r.depth == 0 {
		return ""
	}
	out := ""
	for _, bar := range r.bars[max(0, len(r.bars)-mostBars):] {
		if bar {
			out += "│  "
		} else {
			out += "   "
		}
	}
	if r.last {
		return out + "└─ "
	}
	return out + "├─ "
}
