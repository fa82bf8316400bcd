package blame

import (
	"slices"
	"strings"
	"unicode"
)

// none is the author of a line that no edit is known to have written.
const none = int32(-1)

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// The weight of a line is the number of its letters and digits. It says how far the line
// can be told from others.
const (
	// trivial is the weight below which a line says nothing by itself, such as a blank
	// line or a brace.
	trivial = 4
	// distinctive is the weight from which on a text that occurs once is the same line also
	// where a person may have typed in between.
	distinctive = 16
)

// weighs reports whether the weight of a line is at least n.
func weighs(line string, n int) bool {
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if n--; n == 0 {
				return true
			}
		}
	}
	return false
}

func isTrivial(line string) bool { return !weighs(line, trivial) }

// A matching says where the lines of a text come from.
type matching struct {
	from  []int  // by line, the line before; -1 for none
	fresh []bool // by line: it cannot come from the text before
	gaps  []gap  // runs that differ
}

// A gap is a run between two anchors that differs: the lines from i0 to i1 became those
// from j0 to j1.
type gap struct{ i0, i1, j0, j1 int }

// match finds the lines of b that certainly are lines of a, and those that certainly are
// not. A line of that weight whose text occurs once in both is the same line.
func match(a, b []string, weight int) matching {
	m := matching{from: make([]int, len(b)), fresh: make([]bool, len(b))}
	if slices.Equal(a, b) {
		for j := range m.from {
			m.from[j] = j
		}
		return m
	}
	for j := range m.from {
		m.from[j] = -1
	}
	i0, j0 := -1, -1
	once := occurringOnce(a, b)
	for _, p := range append(once.anchors(b, weight), anchor{len(a), len(b)}) {
		i, j, front, back := i0+1, j0+1, 0, 0
		if weight > trivial {
			front = once.run(a[i:p.a], b[j:p.b], false)
			back = once.run(a[i+front:p.a], b[j+front:p.b], true)
		}
		for k := range front {
			m.from[j+k] = i + k
		}
		for k := range back {
			m.from[p.b-1-k] = p.a - 1 - k
		}
		m.gap(a, b, i+front, p.a-back, j+front, p.b-back)
		if p.b < len(b) {
			m.from[p.b] = p.a
		}
		i0, j0 = p.a, p.b
	}
	return m
}

// gap decides about the lines between two anchors.
func (m *matching) gap(a, b []string, i0, i1, j0, j1 int) {
	if j0 == j1 {
		if i0 < i1 {
			m.gaps = append(m.gaps, gap{i0, i1, j0, j1})
		}
		return
	}
	if slices.Equal(a[i0:i1], b[j0:j1]) {
		for k := range j1 - j0 {
			m.from[j0+k] = i0 + k
		}
		return
	}
	m.gaps = append(m.gaps, gap{i0, i1, j0, j1})
	var was map[string]bool
	if i1-i0 > 8 {
		was = make(map[string]bool, i1-i0)
		for _, line := range a[i0:i1] {
			was[line] = true
		}
	}
	for j := j0; j < j1; j++ {
		if was != nil {
			m.fresh[j] = !was[b[j]]
		} else {
			m.fresh[j] = !slices.Contains(a[i0:i1], b[j])
		}
	}
}

// recorded matches the two sides of a replacement that is known to be the only change.
func recorded(a, b []string) matching {
	m := match(a, b, trivial)
	m.closeIn(a, b)
	return m
}

// closeIn narrows the one gap of a recorded change from both sides. Equal lines at its
// ends are the same, unless they could belong to either end.
func (m *matching) closeIn(a, b []string) {
	if len(m.gaps) != 1 {
		return
	}
	g := m.gaps[0]
	shorter := min(g.i1-g.i0, g.j1-g.j0)
	front, back := 0, 0
	for front < shorter && a[g.i0+front] == b[g.j0+front] {
		front++
	}
	for back < shorter && a[g.i1-1-back] == b[g.j1-1-back] {
		back++
	}
	front, back = min(front, shorter-back), min(back, shorter-front)
	// A line at the inner end that occurs again in between could be that one.
	again := func(line string) bool { return slices.Contains(b[g.j0+max(0, front):g.j1-max(0, back)], line) }
	for front > 0 && again(b[g.j0+front-1]) {
		front--
	}
	for back > 0 && again(b[g.j1-back]) {
		back--
	}
	for k := range max(0, front) {
		m.from[g.j0+k], m.fresh[g.j0+k] = g.i0+k, false
	}
	for k := range max(0, back) {
		m.from[g.j1-1-k], m.fresh[g.j1-1-k] = g.i1-1-k, false
	}
	left := a[g.i0+max(0, front) : g.i1-max(0, back)]
	for j := g.j0 + max(0, front); j < g.j1-max(0, back); j++ {
		m.fresh[j] = !slices.Contains(left, b[j])
	}
}

// An anchor is a line that is the same one in two texts.
type anchor struct{ a, b int }

// shared has the lines that occur once in both of two texts, with their place in the
// first.
type shared map[string]int

func occurringOnce(a, b []string) shared {
	const twice = -1
	at := make(shared, len(a))
	for i, line := range a {
		if _, seen := at[line]; seen {
			i = twice
		}
		at[line] = i
	}
	in := make(map[string]bool, len(b))
	for _, line := range b {
		if in[line] {
			delete(at, line)
		}
		in[line] = true
	}
	for line, i := range at {
		if i == twice || !in[line] || isTrivial(line) {
			delete(at, line)
		}
	}
	return at
}

// anchors returns the shared lines of a weight, in order. Of lines that changed their
// order, as few as possible are left out.
func (s shared) anchors(b []string, weight int) []anchor {
	var list []anchor
	for j, line := range b {
		if i, ok := s[line]; ok && weighs(line, weight) {
			list = append(list, anchor{i, j})
		}
	}
	return ascending(list)
}

// run returns the length of an equal run at the beginning of two gaps, or at the end,
// that a shared line closes: it lies between that line and an anchor.
func (s shared) run(a, b []string, atEnd bool) (n int) {
	for k := range min(len(a), len(b)) {
		x, y := a[k], b[k]
		if atEnd {
			x, y = a[len(a)-1-k], b[len(b)-1-k]
		}
		if x != y {
			break
		}
		if _, ok := s[x]; ok {
			n = k + 1
		}
	}
	return n
}

// ascending returns a longest part of a list whose a ascend.
func ascending(list []anchor) []anchor {
	if slices.IsSortedFunc(list, func(x, y anchor) int { return x.a - y.a }) {
		return list
	}
	var ends []int // by length, the end of the best run
	before := make([]int, len(list))
	for k, p := range list {
		n, _ := slices.BinarySearchFunc(ends, p.a, func(e, a int) int { return list[e].a - a })
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
	out := make([]anchor, len(ends))
	for k, n := ends[len(ends)-1], len(ends)-1; k >= 0; k, n = before[k], n-1 {
		out[n] = list[k]
	}
	return out
}
