package tree_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/internal/tree"
)

// A node is one entry of a list that a tree is made over.
type node struct {
	ID, Parent string
	Time       int64
}

// nodes implement tree.Entries.
type nodes []node

func (n *nodes) Len() int                          { return len(*n) }
func (n *nodes) AppendID(dst []byte, i int) []byte { return append(dst, (*n)[i].ID...) }
func (n *nodes) Parent(i int) string               { return (*n)[i].Parent }
func (n *nodes) Time(i int) int64                  { return (*n)[i].Time }
func (n *nodes) Follows(i int) bool {
	e := (*n)[i]
	return i > 0 && e.Parent != "" && e.Parent != e.ID && e.Parent == (*n)[i-1].ID
}

// build makes a tree of "id<parent@time" words; "<parent" and "@time" may be missing.
func build(words string) *tree.Tree {
	var list nodes
	for _, w := range strings.Fields(words) {
		n := node{Time: tree.NoTime}
		w, at, timed := strings.Cut(w, "@")
		if timed {
			fmt.Sscan(at, &n.Time)
		}
		n.ID, n.Parent, _ = strings.Cut(w, "<")
		list = append(list, n)
	}
	return tree.New(&list)
}

// shape writes the forest as nested brackets of indices, in display order.
func shape(t *tree.Tree) string {
	var b strings.Builder
	var walk func(i int)
	walk = func(i int) {
		fmt.Fprintf(&b, "%d", i)
		if kids := t.AppendOrdered(nil, i); len(kids) > 0 {
			b.WriteString("(")
			for k, c := range kids {
				if k > 0 {
					b.WriteString(" ")
				}
				walk(c)
			}
			b.WriteString(")")
		}
	}
	for k, r := range t.Roots() {
		if k > 0 {
			b.WriteString(" ")
		}
		walk(r)
	}
	return b.String()
}

// DepthFirst returns every entry once, as a walk over the children does that
// takes the one on the path first.
func TestDepthFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := make(nodes, rapid.IntRange(0, 40).Draw(t, "entries"))
		for i := range list {
			parent := rapid.IntRange(-2, len(list)).Draw(t, "parent") // also later ones, itself and none
			if rapid.Bool().Draw(t, "follows") {
				parent = i - 1
			}
			list[i] = node{ID: fmt.Sprint(i), Time: rapid.Int64Range(0, 3).Draw(t, "time")}
			if parent >= 0 {
				list[i].Parent = fmt.Sprint(parent)
			}
		}
		tr := tree.New(&list)
		leaf := rapid.IntRange(tree.None, len(list)-1).Draw(t, "leaf")
		var want, got [][2]int
		var walk func(parent, above int)
		walk = func(parent, above int) {
			kids := tr.AppendOrdered(nil, parent)
			slices.SortStableFunc(kids, func(a, b int) int { return onPath(tr, b, leaf) - onPath(tr, a, leaf) })
			for _, k := range kids {
				want = append(want, [2]int{k, above})
				walk(k, len(want)-1)
			}
		}
		walk(tree.None, tree.None)
		chains := tr.DepthFirst(leaf)
		ends := make([]int, len(chains)) // index of the last entry of each, in got
		for k, c := range chains {
			above := tree.None
			if c.Parent != tree.None {
				above = ends[c.Parent]
			}
			for i := range int(c.Len) {
				got = append(got, [2]int{int(c.Pos) + i, above})
				above = len(got) - 1
			}
			ends[k] = len(got) - 1
			if k > 0 && int(c.Parent) == k-1 && c.Pos == chains[k-1].Pos+chains[k-1].Len && len(tr.Children(int(c.Pos)-1)) == 1 {
				t.Fatalf("DepthFirst(%d) of %v has one chain in two parts: %v", leaf, list, chains)
			}
		}
		if !slices.Equal(got, want) || len(got) != len(list) {
			t.Fatalf("DepthFirst(%d) of %v visits %v, want %v", leaf, list, got, want)
		}
	})
}

// onPath returns 1 for an entry on the path to leaf, otherwise 0.
func onPath(t *tree.Tree, i, leaf int) int {
	if leaf != tree.None && t.IsAncestor(i, leaf) {
		return 1
	}
	return 0
}

func findings(t *tree.Tree) string {
	var out []string
	for _, f := range t.Findings() {
		out = append(out, fmt.Sprintf("%s:%d", f.Kind.Code(), f.Entry))
	}
	return strings.Join(out, " ")
}

func TestShapes(t *testing.T) {
	tests := map[string]struct{ words, shape, findings string }{
		"chain":                      {"a b<a c<b", "0(1(2))", ""},
		"branches":                   {"a b<a c<a d<b", "0(1(3) 2)", ""},
		"several roots (pitfall 76)": {"a b<a c d<c", "0(1) 2(3)", ""},
		"an id that is the parent's too (pitfall 62)": {"a b<a b<b c<b", "0(1(2(3)))", "duplicate-id:2"},
		"own parent (pitfall 72)":                     {"a<a b<a", "0(1)", "self-parent:0"},
		"two-step cycle (pitfall 72)":                 {"a<b b<a c<b", "0(1(2))", "cycle:0"},
		"long cycle (pitfall 72)":                     {"x a<d b<a c<b d<c e<d", "0 1(2(3(4(5))))", "cycle:1"},
		"missing parent (pitfall 73)":                 {"a b<a c<gone d<c", "0(1) 2(3)", "missing-parent:2"},
		"parent after child":                          {"b<a a c<b", "1(0(2))", ""},
		"duplicate ids (pitfall 62)":                  {"a b<a a<b c<a", "0(1(2(3)))", "duplicate-id:2"},
		"duplicate id before its parent":              {"c<a a b<a a<b", "1(0 2(3))", "duplicate-id:3"},
		"children by time (pitfall 86)":               {"r@0 a<r@3 b<r@1 c<r@2", "0(2 3 1)", ""},
		"equal times (pitfall 86)":                    {"r@0 a<r@1 b<r@1 c<r@1", "0(1 2 3)", ""},
		"unknown time stays (pitfall 86)":             {"r@0 a<r@2 b<r c<r@1", "0(3 1 2)", ""},
		"no ids":                                      {"<x <x", "0 1", "missing-parent:0 missing-parent:1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := build(tt.words)
			if s := shape(got); s != tt.shape {
				t.Errorf("tree of %q = %s, want %s", tt.words, s, tt.shape)
			}
			if f := findings(got); f != tt.findings {
				t.Errorf("findings of %q = %s, want %s", tt.words, f, tt.findings)
			}
		})
	}
}

// For any links, every entry is in the forest once, every path ends, and adding
// one by one gives the same as adding all together.
func TestAnyLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g"})
		n := rapid.IntRange(0, 40).Draw(t, "n")
		var list, growing nodes
		single := tree.New(&growing)
		for range n {
			node := node{ID: ids.Draw(t, "id"), Parent: ids.Draw(t, "parent"), Time: int64(rapid.IntRange(0, 5).Draw(t, "time"))}
			list, growing = append(list, node), append(growing, node)
			single.Extend()
			single.Roots() // settles after every entry
		}
		batch := tree.New(&list)
		seen := make([]int, n)
		var walk func([]int)
		walk = func(list []int) {
			for _, i := range list {
				if seen[i]++; seen[i] > 1 {
					t.Fatalf("entry %d is in the forest twice", i)
				}
				walk(batch.Children(i))
			}
		}
		walk(batch.Roots())
		for i, k := range seen {
			if k != 1 {
				t.Fatalf("entry %d is in the forest %d times", i, k)
			}
			p := batch.Path(i)
			if p.Len() == 0 || p.At(p.Len()-1) != i || p.Len() > n {
				t.Fatalf("Path(%d) = %v", i, p)
			}
		}
		if a, b := shape(batch), shape(single); a != b && findings(batch) == findings(single) {
			t.Fatalf("all at once %s, one by one %s", a, b)
		}
	})
}

// Parents follow rule T2, whether the tree has looked them up one by one or
// with an index, as long as there is no cycle.
func TestParents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"})
		var list nodes
		tr := tree.New(&list)
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			n := node{ID: ids.Draw(t, "id"), Parent: ids.Draw(t, "parent")}
			if len(list) > 0 && rapid.Bool().Draw(t, "follows") {
				n.Parent = list[len(list)-1].ID
			}
			list = append(list, n)
			switch rapid.IntRange(0, 3).Draw(t, "then") {
			case 0:
				tr.Extend()
			case 1:
				tr.Extend()
				tr.Find("a")
			case 2:
				tr.Extend()
				tr.Path(len(list) - 1)
			}
		}
		tr.Extend()
		if strings.Contains(findings(tr), "cycle") {
			t.Skip("a circle was cut")
		}
		for i, n := range list {
			want := tree.None
			for k, other := range list {
				if n.Parent != "" && other.ID == n.Parent && (k < i || want == tree.None && n.Parent != n.ID) {
					want = k
				}
			}
			if got := tr.Parent(i); got != want {
				t.Fatalf("the parent of entry %d of %v = %d, want %d", i, list, got, want)
			}
		}
	})
}

// A row of any entries gives back what it was made of.
func TestRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.IntRange(0, 12)).Draw(t, "entries")
		row := tree.RowOf(list)
		var all []int
		for pos, i := range row.All() {
			if row.At(pos) != i {
				t.Fatalf("RowOf(%v).At(%d) = %d, All yields %d", list, pos, row.At(pos), i)
			}
			all = append(all, i)
		}
		if !slices.Equal(all, list) || row.Len() != len(list) {
			t.Fatalf("RowOf(%v) = %v of length %d", list, all, row.Len())
		}
		i := rapid.IntRange(0, 12).Draw(t, "entry")
		if got, want := row.Position(i), slices.Index(list, i); got != want {
			t.Fatalf("RowOf(%v).Position(%d) = %d, want %d", list, i, got, want)
		}
		marked := rapid.SliceOfDistinct(rapid.Int32Range(0, 12), rapid.ID[int32]).Draw(t, "marked")
		slices.Sort(marked)
		before := rapid.IntRange(0, len(list)).Draw(t, "before")
		want := before - 1
		for want >= 0 && !slices.Contains(marked, int32(list[want])) {
			want--
		}
		if got := row.LastOf(marked, before); got != want {
			t.Fatalf("RowOf(%v).LastOf(%v, %d) = %d, want %d", list, marked, before, got, want)
		}
	})
}

// Ancestors, children and paths are those that the parents say, whatever the links.
func TestAncestorsOfAnyLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anyNodes(t, "entries")
		if len(list) == 0 {
			return
		}
		tr := tree.New(&list)
		up := func(i int) (path []int) {
			for ; i != tree.None; i = tr.Parent(i) {
				path = append(path, i)
			}
			return path
		}
		a, b := rapid.IntRange(0, len(list)-1).Draw(t, "a"), rapid.IntRange(0, len(list)-1).Draw(t, "b")
		above := up(a)
		if p := tr.Path(tree.None); p.Len() != 0 {
			t.Fatalf("Path(None) = %v, want nothing", p)
		}
		if got := tr.IsAncestor(b, a); got != slices.Contains(above, b) {
			t.Fatalf("IsAncestor(%d, %d) = %t; the path up is %v", b, a, got, above)
		}
		var path []int
		for _, i := range tr.Path(a).All() {
			path = append(path, i)
		}
		if slices.Reverse(path); !slices.Equal(path, above) {
			t.Fatalf("Path(%d) = %v from below, want %v", a, path, above)
		}
		for _, i := range append(up(a), tree.None) {
			var kids []int
			for k := range list {
				if tr.Parent(k) == i {
					kids = append(kids, k)
				}
			}
			if got := tr.Children(i); !slices.Equal(got, kids) {
				t.Fatalf("Children(%d) = %v, want %v", i, got, kids)
			}
		}
	})
}

// counted are entries that count how many ids were looked at.
type counted struct {
	nodes
	ids int
}

func (c *counted) AppendID(dst []byte, i int) []byte {
	c.ids++
	return c.nodes.AppendID(dst, i)
}

// IDs are examined only when one is looked up, or an entry does not follow the
// one before it (T5), and then only as far as that pays (T4).
func TestFewIDsAreLookedAt(t *testing.T) {
	const n = 1000
	chain := func(parentOf func(i int) int) *counted {
		c := &counted{}
		for i := range n {
			c.nodes = append(c.nodes, node{ID: fmt.Sprint(i), Parent: parent(parentOf(i))})
		}
		return c
	}
	before := func(i int) int { return i - 1 }
	tests := map[string]struct {
		parent  func(i int) int
		most    int
		indexed bool
	}{
		"chain":                       {before, 0, false},
		"two roots":                   {func(i int) int { return i - 1 - i/(n-1)*n }, 0, false},
		"a branch at the end":         {func(i int) int { return i - 1 - i/(n-1)*3 }, 4, false},
		"a fan":                       {func(i int) int { return min(i-1, 0) }, 8 * n, true},
		"a parent that does not come": {func(i int) int { return i - 1 + i/(n-1)*n }, 2 * n, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := chain(tt.parent)
			tr := tree.New(c)
			tr.Path(n - 1)
			if c.ids > tt.most || tr.Indexed() != tt.indexed {
				t.Errorf("%d ids were looked at, indexed %t; want %d at most, and %t", c.ids, tr.Indexed(), tt.most, tt.indexed)
			}
			if c.ids = 0; tr.Find(fmt.Sprint(n-1)) != n-1 || c.ids > 2 {
				t.Errorf("the last entry was found with %d ids", c.ids)
			}
			if tr.Find("5") != 5 || !tr.Indexed() {
				t.Errorf("entry 5 is at %d, indexed %t", tr.Find("5"), tr.Indexed())
			}
			if c.ids = 0; tr.Find("7") != 7 || c.ids > 4 {
				t.Errorf("with an index an entry was found with %d ids", c.ids)
			}
		})
	}
}

// Findings are the same with and without an index of ids, and a session in which no
// id comes twice has none made for them.
func TestFindingsNeedNoIndex(t *testing.T) {
	for _, again := range []int{-1, 0, 700, 4999} {
		var list nodes
		for i := range 5000 {
			list = append(list, node{ID: fmt.Sprint(i), Parent: fmt.Sprint(i - 1)})
		}
		list[0].Parent = ""
		if again >= 0 {
			list = append(list, node{ID: fmt.Sprint(again), Parent: "4999"})
		}
		tr, indexed := tree.New(&list), tree.New(&list)
		indexed.Find("17")
		if got, want := findings(tr), findings(indexed); got != want || tr.Indexed() != (again >= 0) || (want != "") != (again >= 0) {
			t.Errorf("with entry %d twice: findings %q, with an index %q; indexed %t", again, got, want, tr.Indexed())
		}
	}
}

// Setting a label again keeps its place, clearing gives it up (pitfall 139).
func TestLabels(t *testing.T) {
	var l tree.Labels
	l.Apply("a", "one", "t1")
	l.Apply("d", "last", "t1")
	l.Apply("b", "two", "t2")
	l.Apply("a", "uno", "t3")
	l.Apply("b", "", "t4")
	l.Apply("c", "three", "t5")
	l.Apply("b", "zwei", "t6")
	var got []string
	for _, x := range l.All() {
		got = append(got, x.Target+"="+x.Text+"@"+x.Time)
	}
	if want := []string{"a=uno@t3", "d=last@t1", "c=three@t5", "b=zwei@t6"}; !slices.Equal(got, want) {
		t.Errorf("All() = %v, want %v", got, want)
	}
}

// A chain and a fan of 100,000 entries (pitfalls 74, 75).
func TestDeepAndWide(t *testing.T) {
	const n = 100_000
	var down, fan, up nodes
	for i := range n {
		down = append(down, node{ID: fmt.Sprint(i), Parent: parent(i - 1)})
		fan = append(fan, node{ID: fmt.Sprint(i), Parent: parent(min(i-1, 0))})
		up = append(up, node{ID: fmt.Sprint(n - i), Parent: parent(n - i - 1)})
	}
	deep, wide, backwards := tree.New(&down), tree.New(&fan), tree.New(&up)
	if got := deep.Path(n - 1).Len(); got != n {
		t.Errorf("deep path has %d entries, want %d", got, n)
	}
	if got := len(wide.Children(0)); got != n-1 {
		t.Errorf("wide fan has %d children, want %d", got, n-1)
	}
	if got := backwards.Path(0).Len(); got != n {
		t.Errorf("path of a chain written backwards has %d entries, want %d", got, n)
	}
}

func parent(i int) string {
	if i < 0 {
		return ""
	}
	return fmt.Sprint(i)
}

// A tree with a branch needs the index of all ids, one without does not.
func BenchmarkPath(b *testing.B) {
	for _, n := range []int{10_000, 50_000, 250_000} {
		list := make(nodes, n)
		for i := range list {
			list[i] = node{ID: fmt.Sprintf("%08x", uint32(i)*2654435761), Parent: parent(-1)}
			if i > 0 {
				list[i].Parent = list[i-1].ID
			}
		}
		branched := slices.Clone(list)
		branched[n-1].Parent = list[n-3].ID
		for name, list := range map[string]nodes{"chain": list, "branch": branched} {
			b.Run(fmt.Sprintf("%s/entries=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got := tree.New(&list).Path(n - 1).Len(); got < n-2 {
						b.Fatalf("the path has %d entries of %d", got, n)
					}
				}
			})
		}
	}
}

// An id that occurs twice is found however the search for it is divided.
func TestRepeatedIDs(t *testing.T) {
	for _, most := range []int{6, 8, 25} {
		defer tree.SetMostBits(tree.SetMostBits(most))
		for twice := range 40 {
			list := make(nodes, 100)
			for i := range list {
				list[i] = node{ID: fmt.Sprintf("%08x", i*7)}
				if i > 0 {
					list[i].Parent = list[i-1].ID
				}
			}
			if twice > 0 { // at 0 there is none
				list[99].ID = list[2*twice].ID
			}
			want := "duplicate-id:99"
			if twice == 0 {
				want = ""
			}
			if got := findings(tree.New(&list)); got != want {
				t.Fatalf("with parts of %d bits, and the ID of entry %d twice: %q, want %q", most, 2*twice, got, want)
			}
		}
	}
}

// anyNodes are entries that link each other in any way.
func anyNodes(t *rapid.T, name string) nodes {
	ids := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g", "an id of more than 8 bytes", "12345678"})
	var list nodes
	for range rapid.IntRange(0, 30).Draw(t, name) {
		n := node{ID: ids.Draw(t, "id"), Parent: ids.Draw(t, "parent"), Time: int64(rapid.IntRange(0, 5).Draw(t, "time"))}
		if len(list) > 0 && rapid.Bool().Draw(t, "follows") {
			n.Parent = list[len(list)-1].ID
		}
		list = append(list, n)
	}
	return list
}

// same reports in what two trees differ; "" for nothing.
func same(a, b *tree.Tree) string {
	switch {
	case a.Len() != b.Len():
		return "length"
	case shape(a) != shape(b):
		return "shape: " + shape(a) + " and " + shape(b)
	case findings(a) != findings(b):
		return "findings: " + findings(a) + " and " + findings(b)
	}
	for _, id := range []string{"", "a", "b", "c", "d", "e", "f", "g", "an id of more than 8 bytes", "12345678", "none"} {
		if a.Find(id) != b.Find(id) || !slices.Equal(a.FindAll(id), b.FindAll(id)) {
			return "entries of " + id
		}
	}
	return ""
}

// A clone and its original grow apart.
func TestClone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anyNodes(t, "entries")
		was := tree.New(&list)
		if rapid.Bool().Draw(t, "settled") {
			was.Findings()
			was.Roots()
		}
		wasShape, wasFindings := shape(was), findings(was)
		clone := was.Clone()
		list = append(list, anyNodes(t, "more")...)
		clone.Extend()
		if diff := same(clone, tree.New(&list)); diff != "" && !strings.Contains(findings(clone), "cycle") {
			t.Fatalf("the clone grew with another %s", diff)
		}
		if shape(was) != wasShape || findings(was) != wasFindings {
			t.Fatalf("the original became %s (%s), was %s (%s)", shape(was), findings(was), wasShape, wasFindings)
		}
	})
}

func TestForks(t *testing.T) {
	tests := map[string][]int{"": nil, "a b<a c<b": nil, "a b<a c<a d<b e<a": {0, 1}, "b<a a c<b": {0, 1}, "x y z<x": {0}}
	for words, want := range tests {
		if got := build(words).Forks(); !slices.Equal(got, want) {
			t.Errorf("Forks of %q = %v, want %v", words, got, want)
		}
	}
}

func TestFindAll(t *testing.T) {
	tr := build("a b<a a<b c<a a<c")
	if got := tr.FindAll("a"); !slices.Equal(got, []int{0, 2, 4}) || tr.Find("a") != 4 || tr.Len() != 5 {
		t.Errorf("a is at %v, last %d of %d", got, tr.Find("a"), tr.Len())
	}
	if got := tr.FindAll("x"); got != nil || tr.Find("x") != tree.None || tr.Find("") != tree.None {
		t.Errorf("x is at %v, last %d; without an id %d", got, tr.Find("x"), tr.Find(""))
	}
	if tr := build("a <a"); tr.Find("") != tree.None {
		t.Errorf("an entry without an id is found, at %d", tr.Find(""))
	}
	if none := build(""); none.Find("a") != tree.None || none.Len() != 0 {
		t.Error("an empty tree holds a")
	}
}

func TestLabelOf(t *testing.T) {
	var l tree.Labels
	if _, ok := l.Of("a"); ok || l.Len() != 0 {
		t.Error("an empty list has a label")
	}
	l.Apply("a", "one", "t1")
	kept := l.Clone()
	l.Apply("a", "", "t2")
	l.Apply("b", "two", "t3")
	if got, ok := kept.Of("a"); !ok || got.Text != "one" || kept.Len() != 1 {
		t.Errorf("the clone has %v", kept.All())
	}
	if _, ok := l.Of("a"); ok || l.Len() != 1 {
		t.Errorf("after clearing there is %v", l.All())
	}
	kept.Apply("c", "three", "t4")
	kept.Apply("b", "two", "t5")
	if all := kept.All(); len(all) != 3 || all[0].Target != "a" || all[1].Target != "c" || all[2].Target != "b" {
		t.Errorf("the clone goes on with %v", all)
	}
}

func TestAllOf(t *testing.T) {
	for _, n := range []int{0, 1, 5} {
		row := tree.AllOf(n)
		next := 0
		for pos, i := range row.All() {
			if pos != next || i != next {
				t.Errorf("AllOf(%d) has %d at %d", n, i, pos)
			}
			if next++; next == 3 {
				break
			}
		}
		if row.Len() != n || next != min(n, 3) {
			t.Errorf("AllOf(%d) has %d entries", n, row.Len())
		}
	}
}

// Each finding says what is wrong, and that nothing is lost by it.
func TestFindingWords(t *testing.T) {
	words := map[string]string{"b<gone": `"gone" is not in the file`, "a<a": "own parent", "a<b b<a": "own ancestor", "a a": "used before"}
	for tree, want := range words {
		list := build(tree).Findings()
		if len(list) != 1 || !strings.Contains(list[0].String(), want) {
			t.Errorf("findings of %q: %v, want %s", tree, list, want)
		}
	}
}
