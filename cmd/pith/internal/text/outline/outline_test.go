package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/format"
)

// order returns a tree in display order: entry i hangs below parents[i], None is
// a root. The path to the last entry is active and comes first.
func order(parents []int) []place {
	leaf := len(parents) - 1
	active := make([]bool, len(parents))
	for i := leaf; i != outline.None; i = parents[i] {
		active[i] = true
	}
	var places []place
	var walk func(parent, above int)
	walk = func(parent, above int) {
		for _, wanted := range []bool{true, false} {
			for i, p := range parents {
				if p == parent && active[i] == wanted {
					places = append(places, place{i, above})
					walk(i, len(places)-1)
				}
			}
		}
	}
	walk(outline.None, outline.None)
	return places
}

// A place is an entry in display order: its position, and the index of its
// parent, or None.
type place struct{ pos, parent int }

// grow returns the outline of a tree.
func grow(parents []int) *outline.Outline { return outline.New(chains(order(parents)), len(parents)-1) }

// chains returns places as the chains of View.DepthFirst.
func chains(places []place) (out []outline.Chain) {
	kids := make([]int, len(places))
	for _, p := range places {
		if p.parent != outline.None {
			kids[p.parent]++
		}
	}
	of := make([]int, len(places)) // the chain of each place
	for i, p := range places {
		if p.parent != outline.None && p.parent == i-1 && kids[i-1] == 1 && places[i-1].pos == p.pos-1 {
			out[len(out)-1].Len++
		} else {
			parent := outline.None
			if p.parent != outline.None {
				parent = of[p.parent]
			}
			out = append(out, outline.Chain{Pos: int32(p.pos), Len: 1, Parent: int32(parent)})
		}
		of[i] = len(out) - 1
	}
	return out
}

func draw(rows *outline.Rows) string {
	var b strings.Builder
	for _, r := range rows.All(0, rows.Len()) {
		for _, c := range rows.Cells(nil, r, 0, r.Level) {
			b.WriteString(c.String())
		}
		fmt.Fprint(&b, r.Pos)
		if r.Folded {
			b.WriteString("+")
		} else if r.Foldable {
			b.WriteString("-")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestRows(t *testing.T) {
	branches := []int{-1, 0, 1, 2, 1, 4, 5, 5}
	only := func(want int) func(int) bool { return func(pos int) bool { return pos == want } }
	for _, c := range []struct {
		name            string
		parents         []int
		visible, folded func(int) bool
		want            string
	}{
		{"chain", []int{-1, 0, 1}, nil, nil, "0-\n1\n2\n"},
		{"branches", branches, nil, nil, "0-\n1\n├─ 4-\n│     5\n│     ├─ 7\n│     └─ 6\n└─ 2-\n      3\n"},
		{"a branch folded", branches, nil, only(4), "0-\n1\n├─ 4+\n└─ 2-\n      3\n"},
		{"the root folded", branches, nil, only(0), "0+\n"},
		{"a leaf cannot be folded", branches, nil, only(7), "0-\n1\n├─ 4-\n│     5\n│     ├─ 7\n│     └─ 6\n└─ 2-\n      3\n"},
		// pitfall 145: what hangs below a hidden entry hangs below the nearest one that is shown.
		{"the branching is hidden", branches, func(pos int) bool { return pos != 1 && pos != 5 }, nil,
			"0-\n├─ 4-\n│  ├─ 7\n│  └─ 6\n└─ 2-\n      3\n"},
		{"a hidden root", []int{-1, 0, 0}, func(pos int) bool { return pos != 0 }, nil, "2\n1\n"},
		{"several roots", []int{-1, 0, -1, 2, 3, 3}, nil, nil, "2-\n   3\n   ├─ 5\n   └─ 4\n0-\n   1\n"},
		{"nothing to show", branches, func(int) bool { return false }, nil, ""},
		{"nothing", nil, nil, nil, ""},
	} {
		if got := draw(grow(c.parents).Rows(c.visible, c.folded)); got != c.want {
			t.Errorf("%s:\n%swant:\n%s", c.name, got, c.want)
		}
	}
}

// A bare row has what can be compared with a row of an outline.
type bareRow struct {
	Pos, Parent, Level, Depth                      int
	OnPath, Branch, Last, Foldable, Folded, turned bool
	kids                                           int
}

// bareRows finds the rows of a tree in the obvious way.
func bareRows(places []place, leaf int, visible, folded func(int) bool) []bareRow {
	var rows []bareRow
	rowOf, depth, hidden := make([]int, len(places)), make([]int, len(places)), make([]bool, len(places))
	below := func(i, above int) bool {
		for ; i != outline.None; i = places[i].parent {
			if i == above {
				return true
			}
		}
		return false
	}
	at := outline.None
	for i, p := range places {
		if p.pos == leaf {
			at = i
		}
	}
	tops := 0
	for i, p := range places {
		rowOf[i] = outline.None
		if p.parent != outline.None {
			rowOf[i], depth[i], hidden[i] = rowOf[p.parent], depth[p.parent]+1, hidden[p.parent]
			hidden[i] = hidden[i] || rowOf[i] != outline.None && rows[rowOf[i]].Folded
		}
		if hidden[i] || !visible(p.pos) {
			continue
		}
		r := bareRow{Pos: p.pos, Parent: rowOf[i], Depth: depth[i], OnPath: at != outline.None && below(at, i)}
		for k := i + 1; k < len(places); k++ {
			r.Folded = r.Folded || folded(p.pos) && below(k, i) && visible(places[k].pos)
		}
		if r.Parent == outline.None {
			tops++
		} else {
			rows[r.Parent].kids++
		}
		rowOf[i] = len(rows)
		rows = append(rows, r)
	}
	seen := map[int]int{}
	for i := range rows {
		r := &rows[i]
		seen[r.Parent]++
		if r.Parent == outline.None {
			r.Last, r.turned = seen[outline.None] == tops, tops > 1
		} else {
			p := &rows[r.Parent]
			r.Last, r.Branch, r.Level = seen[r.Parent] == p.kids, p.kids > 1, p.Level
			if r.turned = r.Branch; r.Branch || p.turned {
				r.Level++
			}
		}
		r.Foldable = (r.kids > 0 || r.Folded) && (r.Parent == outline.None || r.Branch)
	}
	return rows
}

// cellsOf returns the cells before a row, in the obvious way.
func cellsOf(rows []bareRow, i int) []outline.Cell {
	out := make([]outline.Cell, rows[i].Level)
	for k := i; k != outline.None; k = rows[k].Parent {
		switch r := rows[k]; {
		case !r.Branch:
		case k == i && r.Last:
			out[r.Level-1] = outline.Corner
		case k == i:
			out[r.Level-1] = outline.Tee
		case !r.Last:
			out[r.Level-1] = outline.Bar
		}
	}
	return out
}

// O1, and O3: a window of cells is a part of all of them.
func TestRowsOfAnyTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parents := make([]int, rapid.IntRange(0, 60).Draw(t, "n"))
		for i := range parents {
			if parents[i] = i - 1; rapid.Bool().Draw(t, "branches") {
				parents[i] = rapid.IntRange(-1, i-1).Draw(t, "parent")
			}
		}
		hidden := rapid.SliceOfN(rapid.Bool(), len(parents), len(parents)).Draw(t, "hidden")
		folded := make([]bool, len(parents))
		if rapid.Bool().Draw(t, "folds") {
			folded = rapid.SliceOfN(rapid.Bool(), len(parents), len(parents)).Draw(t, "folded")
		}
		isVisible, isFolded := func(pos int) bool { return !hidden[pos] }, func(pos int) bool { return folded[pos] }
		places := order(parents)
		leaf := rapid.IntRange(-1, len(parents)-1).Draw(t, "leaf")
		rows := outline.New(chains(places), leaf).Rows(isVisible, isFolded)
		want := bareRows(places, leaf, isVisible, isFolded)
		if rows.Len() != len(want) {
			t.Fatalf("%d rows, want %d", rows.Len(), len(want))
		}
		byPos := map[int]int{}
		from := rapid.IntRange(0, len(want)).Draw(t, "from")
		next := from
		for i, r := range rows.All(from, len(want)) {
			if i != next || r != rows.At(i) {
				t.Fatalf("All(%d) yields row %d, %+v; want row %d, %+v", from, i, r, next, rows.At(i))
			}
			next++
		}
		if next != len(want) {
			t.Fatalf("All(%d) ends before row %d of %d", from, next, len(want))
		}
		for i, w := range want {
			r := rows.At(i)
			w.turned, w.kids = false, 0
			if got := (bareRow{r.Pos, r.Parent, r.Level, r.Depth, r.OnPath, r.Branch, r.Last, r.Foldable, r.Folded, false, 0}); got != w {
				t.Fatalf("row %d of %v\n%+v, want\n%+v", i, parents, got, w)
			}
			byPos[r.Pos] = i
			all := cellsOf(want, i)
			from := rapid.IntRange(0, r.Level).Draw(t, "from")
			to := rapid.IntRange(from, r.Level).Draw(t, "to")
			if got := rows.Cells(nil, r, from, to); string(bytesOf(got)) != string(bytesOf(all[from:to])) {
				t.Fatalf("cells [%d, %d) of row %d are %v, all are %v", from, to, i, got, all)
			}
		}
		for pos := range parents {
			near, at := outline.None, pos
			for ; at != outline.None && near == outline.None; at = parents[at] {
				if i, ok := byPos[at]; ok {
					near = i
				}
			}
			if got := rows.Nearest(pos); got != near {
				t.Fatalf("Nearest(%d) = %d, want %d", pos, got, near)
			}
		}
	})
}

func bytesOf(cells []outline.Cell) []byte {
	var b []byte
	for _, c := range cells {
		b = append(b, byte(c))
	}
	return b
}

func TestFilters(t *testing.T) {
	none, here := func() string { return "" }, func() string { return "here" }
	for filter, want := range map[outline.Filter][4]bool{
		outline.Default: {true, true, false, false}, outline.NoTools: {true, false, false, false},
		outline.UserOnly: {true, false, false, false}, outline.LabeledOnly: {false, true, false, false},
		outline.All: {true, true, true, false},
	} {
		got := [4]bool{
			filter.Keeps(format.TypeMessage, format.RoleUser, none), filter.Keeps(format.TypeMessage, format.RoleToolResult, here),
			filter.Keeps(format.TypeModelChange, "", none), filter.Keeps(format.TypeUsage, "", here),
		}
		if got != want {
			t.Errorf("%s keeps user, result, model, usage: %v, want %v", filter, got, want)
		}
	}
}

// A tree that branches at every step, 50,000 deep, must be laid out without
// delay.
func BenchmarkRows(b *testing.B) {
	const n = 50_000
	parents := make([]int, n)
	for i := range parents {
		parents[i] = i - 1 - i%2
	}
	parents[0] = -1
	places := make([]place, n)
	for i, p := range parents {
		places[i] = place{i, p}
	}
	o := outline.New(chains(places), n-1)
	b.ReportAllocs()
	for b.Loop() {
		rows := o.Rows(nil, nil)
		for i := n - 40; i < n; i++ {
			r := rows.At(i)
			rows.Cells(nil, r, max(0, r.Level-30), r.Level)
		}
	}
}
