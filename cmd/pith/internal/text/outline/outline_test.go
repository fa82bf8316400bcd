package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/format"
)

// grow builds a tree: entry i hangs below parents[i], None is a root. The path to
// the last entry is active and comes first.
func grow(parents []int) *outline.Outline {
	leaf := len(parents) - 1
	active := make([]bool, len(parents))
	for i := leaf; i != outline.None; i = parents[i] {
		active[i] = true
	}
	var places []outline.Place
	var walk func(parent, above int)
	walk = func(parent, above int) {
		for _, wanted := range []bool{true, false} {
			for i, p := range parents {
				if p == parent && active[i] == wanted {
					places = append(places, outline.Place{Pos: int32(i), Parent: int32(above)})
					walk(i, len(places)-1)
				}
			}
		}
	}
	walk(outline.None, outline.None)
	return outline.New(places, leaf)
}

func draw(rows []outline.Row) string {
	var b strings.Builder
	for i := range rows {
		for _, c := range outline.Cells(nil, rows, i, 0, int(rows[i].Level)) {
			b.WriteString(c.String())
		}
		fmt.Fprint(&b, rows[i].Pos)
		if rows[i].Folded {
			b.WriteString("+")
		} else if rows[i].Foldable {
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

// O1, and O3: a window of cells is a part of all of them.
func TestRowsOfAnyTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parents := make([]int, rapid.IntRange(0, 60).Draw(t, "n"))
		for i := range parents {
			parents[i] = rapid.IntRange(-1, i-1).Draw(t, "parent")
		}
		hidden := rapid.SliceOfN(rapid.Bool(), len(parents), len(parents)).Draw(t, "hidden")
		folded := rapid.SliceOfN(rapid.Bool(), len(parents), len(parents)).Draw(t, "folded")
		o := grow(parents)
		open := o.Rows(func(pos int) bool { return !hidden[pos] }, nil)
		want := 0
		for _, h := range hidden {
			if !h {
				want++
			}
		}
		if len(open) != want {
			t.Fatalf("%d rows, want %d", len(open), want)
		}
		rows := o.Rows(func(pos int) bool { return !hidden[pos] }, func(pos int) bool { return folded[pos] })
		for i, r := range rows {
			for p := r.Parent; p != outline.None; p = rows[p].Parent {
				if int(p) >= i || rows[p].Folded {
					t.Fatalf("row %d hangs below row %d, folded %v", i, p, rows[p].Folded)
				}
			}
			level := int(r.Level)
			all := outline.Cells(nil, rows, i, 0, level)
			from := rapid.IntRange(0, level).Draw(t, "from")
			to := rapid.IntRange(from, level).Draw(t, "to")
			if got := outline.Cells(nil, rows, i, from, to); string(bytesOf(got)) != string(bytesOf(all[from:to])) {
				t.Fatalf("cells [%d, %d) of row %d are %v, all are %v", from, to, i, got, all)
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
	places := make([]outline.Place, n)
	for i, p := range parents {
		places[i] = outline.Place{Pos: int32(i), Parent: int32(p)}
	}
	o := outline.New(places, n-1)
	b.ReportAllocs()
	for b.Loop() {
		rows := o.Rows(nil, nil)
		for i := n - 40; i < n; i++ {
			outline.Cells(nil, rows, i, max(0, int(rows[i].Level)-30), int(rows[i].Level))
		}
	}
}
