package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/format"
)

// grow builds a tree: node i hangs below parents[i], None is a root. The path to
// the last node is active.
func grow(parents []int) []*pith.Node {
	nodes := make([]*pith.Node, len(parents))
	var roots []*pith.Node
	for i, p := range parents {
		nodes[i] = &pith.Node{ID: fmt.Sprint(i), Pos: i, Type: format.TypeMessage, Role: format.RoleUser}
		if p == outline.None {
			roots = append(roots, nodes[i])
			continue
		}
		nodes[p].Children = append(nodes[p].Children, nodes[i])
	}
	for i := len(parents) - 1; i >= 0; i = parents[i] {
		nodes[i].OnPath = true
		if parents[i] == outline.None {
			break
		}
	}
	return roots
}

func draw(rows []outline.Row) string {
	var b strings.Builder
	for i := range rows {
		for _, c := range outline.Cells(nil, rows, i, 0, rows[i].Level) {
			b.WriteString(c.String())
		}
		b.WriteString(rows[i].Node.ID)
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
	id := func(want ...string) func(*pith.Node) bool {
		return func(n *pith.Node) bool {
			for _, w := range want {
				if n.ID == w {
					return true
				}
			}
			return false
		}
	}
	for _, c := range []struct {
		name            string
		parents         []int
		visible, folded func(*pith.Node) bool
		want            string
	}{
		{"chain", []int{-1, 0, 1}, nil, nil, "0-\n1\n2\n"},
		{"branches", branches, nil, nil, "0-\n1\n├─ 4-\n│     5\n│     ├─ 7\n│     └─ 6\n└─ 2-\n      3\n"},
		{"a branch folded", branches, nil, id("4"), "0-\n1\n├─ 4+\n└─ 2-\n      3\n"},
		{"the root folded", branches, nil, id("0"), "0+\n"},
		{"a leaf cannot be folded", branches, nil, id("7"), "0-\n1\n├─ 4-\n│     5\n│     ├─ 7\n│     └─ 6\n└─ 2-\n      3\n"},
		// pitfall 145: what hangs below a hidden entry hangs below the nearest one that is shown.
		{"the branching is hidden", branches, func(n *pith.Node) bool { return n.ID != "1" && n.ID != "5" }, nil,
			"0-\n├─ 4-\n│  ├─ 7\n│  └─ 6\n└─ 2-\n      3\n"},
		{"a hidden root", []int{-1, 0, 0}, func(n *pith.Node) bool { return n.ID != "0" }, nil, "2\n1\n"},
		{"several roots", []int{-1, 0, -1, 2, 3, 3}, nil, nil, "2-\n   3\n   ├─ 5\n   └─ 4\n0-\n   1\n"},
		{"nothing to show", branches, func(*pith.Node) bool { return false }, nil, ""},
		{"nothing", nil, nil, nil, ""},
	} {
		if got := draw(outline.New(grow(c.parents)).Rows(c.visible, c.folded)); got != c.want {
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
		o := outline.New(grow(parents))
		open := o.Rows(func(n *pith.Node) bool { return !hidden[n.Pos] }, nil)
		want := 0
		for _, h := range hidden {
			if !h {
				want++
			}
		}
		if len(open) != want {
			t.Fatalf("%d rows, want %d", len(open), want)
		}
		rows := o.Rows(func(n *pith.Node) bool { return !hidden[n.Pos] }, func(n *pith.Node) bool { return folded[n.Pos] })
		for i, r := range rows {
			for p := r.Parent; p != outline.None; p = rows[p].Parent {
				if p >= i || rows[p].Folded {
					t.Fatalf("row %d hangs below row %d, folded %v", i, p, rows[p].Folded)
				}
			}
			all := outline.Cells(nil, rows, i, 0, r.Level)
			from := rapid.IntRange(0, r.Level).Draw(t, "from")
			to := rapid.IntRange(from, r.Level).Draw(t, "to")
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
	user := &pith.Node{Type: format.TypeMessage, Role: format.RoleUser}
	result := &pith.Node{Type: format.TypeMessage, Role: format.RoleToolResult, Label: "here"}
	model := &pith.Node{Type: format.TypeModelChange}
	usage := &pith.Node{Type: format.TypeUsage, Label: "here"}
	for filter, want := range map[outline.Filter][4]bool{
		outline.Default: {true, true, false, false}, outline.NoTools: {true, false, false, false},
		outline.UserOnly: {true, false, false, false}, outline.LabeledOnly: {false, true, false, false},
		outline.All: {true, true, true, false},
	} {
		got := [4]bool{filter.Keeps(user), filter.Keeps(result), filter.Keeps(model), filter.Keeps(usage)}
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
	o := outline.New(grow(parents))
	b.ReportAllocs()
	for b.Loop() {
		rows := o.Rows(nil, nil)
		for i := n - 40; i < n; i++ {
			outline.Cells(nil, rows, i, max(0, rows[i].Level-30), rows[i].Level)
		}
	}
}
