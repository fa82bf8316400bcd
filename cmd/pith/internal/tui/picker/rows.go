package picker

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/format"
)

// An order is the order of the list.
type order uint8

const (
	newest order = iota
	threads
	byCost
	bySize
	relevance // of a search only
	orderCount
)

var orderNames = [orderCount]string{"newest first", "threads", "most expensive first", "largest first", "best match first"}

// A filter selects and sorts sessions.
type filter struct {
	query  typed
	named  bool // only those with a name
	order  order
	folded map[string]bool // sessions whose forks are hidden, by key
}

// named is the filter for sessions with a name, as it is typed.
const named = "name:"

// withoutNamed returns a query without the filter for sessions with a name.
func withoutNamed(text string) (without string, had bool) {
	words := strings.Fields(text)
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == named })
	return strings.Join(rest, " "), len(rest) < len(words)
}

// set sets the query.
func (f *filter) set(text string, parse func(string) typed) {
	if without, had := withoutNamed(text); had {
		text, f.named = without, true
	} else {
		f.named = false
	}
	f.query = parse(text)
	if f.query.blank && f.order == relevance {
		f.order = newest
	}
}

// next sets the next order.
func (f *filter) next() {
	f.order = (f.order + 1) % orderCount
	if f.order == relevance && f.query.blank {
		f.order = newest
	}
}

// all reports whether nothing is filtered.
func (f *filter) all() bool { return !f.named && f.query.IsZero() && !f.query.ofEntries }

// A row is one session as shown.
type row struct {
	item    *Item
	section *section // that begins here; nil for none
	fork    bool     // its parent is in the list
	forks   int      // number of its forks in the list
	hidden  int      // number of those that are folded
	found   []Hit    // to be shown below it
	more    int      // number of other hits
	score   float64
	loose   bool // only the letters of a name match, in their order: such a row comes last
}

// A section is the sessions of a time.
type section struct {
	title    string
	sessions int
	spent    format.Spent
	unknown  int // number of sessions without a known cost
}

// rows returns the rows of the sessions that pass, in order. hidden is the
// number that would pass if they were not archived.
func (f *filter) rows(items []*Item, found *hits, now time.Time) (rows []row, hidden int) {
	rows = make([]row, 0, len(items))
	for _, it := range items {
		if f.named && !it.named() || !f.query.passes(it) {
			continue
		}
		hits := found.of(it.Path)
		score, fits := f.query.match(it, len(hits) > 0)
		switch {
		case !fits:
		case it.Marks.Archived && !f.query.Has("archived"):
			hidden++
		default:
			rows = append(rows, row{item: it, score: score, loose: len(hits) == 0 && f.query.loosely(it), found: hits[:min(len(hits), mostFound)], more: max(0, len(hits)-mostFound)})
		}
	}
	f.sort(rows)
	rows = f.family(rows)
	if f.order == newest {
		divide(rows, now)
	}
	return rows, hidden
}

// mostFound is the maximum number of hits that are shown below a session.
const mostFound = 2

func (f *filter) sort(rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int {
		pinned := cmp.Or(rank(b.loose)-rank(a.loose), rank(a.item.Marks.Pinned)-rank(b.item.Marks.Pinned))
		by := 0
		switch f.order {
		case byCost:
			by = cmp.Compare(b.item.Spent.Cost, a.item.Spent.Cost)
		case bySize:
			by = cmp.Compare(b.item.Size, a.item.Size)
		case relevance:
			pinned, by = 0, cmp.Compare(a.score, b.score)
		}
		return cmp.Or(pinned, by, ops.ByRecency(&a.item.Info, &b.item.Info))
	})
}

func rank(pinned bool) int {
	if pinned {
		return 0
	}
	return 1
}

// divide finds the sections of rows that are sorted by time.
func divide(rows []row, now time.Time) {
	var s *section
	for i := range rows {
		it := rows[i].item
		title := when(it.Modified.In(now.Location()), now)
		switch {
		case rows[i].loose:
			title = "Similar names"
		case it.Marks.Pinned:
			title = "Pinned"
		}
		if s == nil || s.title != title {
			s = &section{title: title}
			rows[i].section = s
		}
		s.sessions++
		s.spent = s.spent.Plus(it.Spent)
		if it.Spent.Cost == 0 && it.Spent.Unpriced > 0 {
			s.unknown++
		}
	}
}

// when returns the section of a time.
func when(at, now time.Time) string {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location()) }
	days := int(day(now).Sub(day(at)).Hours()+12) / 24
	switch {
	case days <= 0:
		return "Today"
	case days == 1:
		return "Yesterday"
	case days < 7:
		return at.Format("Monday, January 2")
	case at.Year() == now.Year() && at.Month() == now.Month():
		return "Earlier in " + at.Format("January")
	case at.Year() == now.Year():
		return at.Format("January")
	}
	return at.Format("January 2006")
}

// family marks forks, hides folded ones and, in the order of threads, moves them below
// their parents: threads with a pinned session first, then the most recently used one. A
// cycle of parents is broken at its newest session (R1). It does not recurse.
func (f *filter) family(rows []row) []row {
	at := make(map[string]int, 2*len(rows))
	for i := range rows {
		at[rows[i].item.ID] = i // a fork of a session in a database names its parent so
	}
	for i := range rows {
		at[rows[i].item.Key] = i
	}
	parent := make([]int, len(rows))
	for i := range rows {
		parent[i] = -1
		if p, ok := at[rows[i].item.ParentKey]; ok && rows[i].item.ParentKey != "" && p != i {
			parent[i] = p
		}
	}
	openCircles(rows, parent)
	for i, p := range parent {
		if rows[i].fork = rows[i].item.ParentKey != ""; p >= 0 {
			rows[p].forks++
		}
	}
	if f.order == threads && f.all() {
		rows, parent = thread(rows, parent)
	}
	if len(f.folded) == 0 {
		return rows
	}
	var out []row
	kept := make([]int, len(rows)) // row in out
	var hide [][2]int
	for i := range rows {
		top := -1
		for p := parent[i]; p >= 0; p = parent[p] {
			if f.folded[rows[p].item.Key] {
				top = p
			}
		}
		if top >= 0 {
			hide = append(hide, [2]int{i, top})
			continue
		}
		kept[i] = len(out)
		out = append(out, rows[i])
	}
	for _, h := range hide {
		out[kept[h[1]]].hidden++
	}
	return out
}

// openCircles turns the first session of every cycle into a root.
func openCircles(rows []row, parent []int) {
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
		first := i
		for k := parent[i]; k != i; k = parent[k] {
			if rows[k].item.Modified.After(rows[first].item.Modified) {
				first = k
			}
		}
		parent[first] = -1
	}
}

// thread moves forks below their parents. rows are sorted by time: a thread is where its
// first session is.
func thread(rows []row, parent []int) ([]row, []int) {
	children := make([][]int, len(rows))
	for i, p := range parent {
		if p >= 0 {
			children[p] = append(children[p], i)
		}
	}
	out, above := make([]row, 0, len(rows)), make([]int, 0, len(rows))
	seen := make([]bool, len(rows))
	for i := range rows {
		root := i
		for parent[root] >= 0 {
			root = parent[root]
		}
		if seen[root] {
			continue
		}
		type step struct{ i, above int }
		todo := []step{{root, -1}}
		for len(todo) > 0 {
			s := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			seen[s.i] = true
			out, above = append(out, rows[s.i]), append(above, s.above)
			for k := len(children[s.i]) - 1; k >= 0; k-- {
				todo = append(todo, step{children[s.i][k], len(out) - 1})
			}
		}
	}
	return out, above
}
