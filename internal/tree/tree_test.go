package tree_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/internal/tree"
)

// build makes a tree of "id<parent@time" words; "<parent" and "@time" may be missing.
func build(words string) *tree.Tree {
	t := &tree.Tree{}
	for _, w := range strings.Fields(words) {
		n := tree.Node{Time: tree.NoTime}
		w, at, timed := strings.Cut(w, "@")
		if timed {
			fmt.Sscan(at, &n.Time)
		}
		n.ID, n.Parent, _ = strings.Cut(w, "<")
		t.Add(n)
	}
	return t
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

func findings(t *tree.Tree) string {
	var out []string
	for _, f := range t.Findings() {
		out = append(out, fmt.Sprintf("%s:%d", f.Kind.Code(), f.Entry))
	}
	return strings.Join(out, " ")
}

func TestShapes(t *testing.T) {
	tests := map[string]struct{ words, shape, findings string }{
		"chain":                           {"a b<a c<b", "0(1(2))", ""},
		"branches":                        {"a b<a c<a d<b", "0(1(3) 2)", ""},
		"several roots (pitfall 76)":      {"a b<a c d<c", "0(1) 2(3)", ""},
		"own parent (pitfall 72)":         {"a<a b<a", "0(1)", "self-parent:0"},
		"two-step cycle (pitfall 72)":     {"a<b b<a c<b", "0(1(2))", "cycle:0"},
		"long cycle (pitfall 72)":         {"x a<d b<a c<b d<c e<d", "0 1(2(3(4(5))))", "cycle:1"},
		"missing parent (pitfall 73)":     {"a b<a c<gone d<c", "0(1) 2(3)", "missing-parent:2"},
		"parent after child":              {"b<a a c<b", "1(0(2))", ""},
		"duplicate ids (pitfall 62)":      {"a b<a a<b c<a", "0(1(2(3)))", "duplicate-id:2"},
		"duplicate id before its parent":  {"c<a a b<a a<b", "1(0 2(3))", "duplicate-id:3"},
		"children by time (pitfall 86)":   {"r@0 a<r@3 b<r@1 c<r@2", "0(2 3 1)", ""},
		"equal times (pitfall 86)":        {"r@0 a<r@1 b<r@1 c<r@1", "0(1 2 3)", ""},
		"unknown time stays (pitfall 86)": {"r@0 a<r@2 b<r c<r@1", "0(3 1 2)", ""},
		"no ids":                          {"<x <x", "0 1", "missing-parent:0 missing-parent:1"},
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

// Whatever the links are, every entry is in the forest once, every path ends,
// and adding one by one gives what adding all at once gives.
func TestAnyLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g"})
		n := rapid.IntRange(0, 40).Draw(t, "n")
		var batch, single tree.Tree
		for range n {
			node := tree.Node{ID: ids.Draw(t, "id"), Parent: ids.Draw(t, "parent"), Time: int64(rapid.IntRange(0, 5).Draw(t, "time"))}
			batch.Add(node)
			single.Add(node)
			single.Roots() // settles after every entry
		}
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
			if len(p) == 0 || p[len(p)-1] != i || len(p) > n {
				t.Fatalf("Path(%d) = %v", i, p)
			}
		}
		if a, b := shape(&batch), shape(&single); a != b && findings(&batch) == findings(&single) {
			t.Fatalf("all at once %s, one by one %s", a, b)
		}
	})
}

func TestAncestors(t *testing.T) {
	tr := build("a b<a c<b d<b e<a x y<x")
	tests := []struct{ a, b, want int }{{2, 3, 1}, {2, 4, 0}, {2, 6, tree.None}, {2, 2, 2}, {1, 3, 1}}
	for _, tt := range tests {
		if got := tr.CommonAncestor(tt.a, tt.b); got != tt.want {
			t.Errorf("CommonAncestor(%d, %d) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
	if !tr.IsAncestor(0, 3) || tr.IsAncestor(4, 3) {
		t.Error("IsAncestor is wrong")
	}
	if p := tr.Path(tree.None); len(p) != 0 {
		t.Errorf("Path(None) = %v, want nothing", p)
	}
}

// Setting a label again keeps its place, clearing gives it up (pitfall 139).
func TestLabels(t *testing.T) {
	var l tree.Labels
	l.Apply("a", "one", "t1")
	l.Apply("b", "two", "t2")
	l.Apply("a", "uno", "t3")
	l.Apply("b", "", "t4")
	l.Apply("c", "three", "t5")
	l.Apply("b", "zwei", "t6")
	var got []string
	for _, x := range l.All() {
		got = append(got, x.Target+"="+x.Text+"@"+x.Time)
	}
	if want := []string{"a=uno@t3", "c=three@t5", "b=zwei@t6"}; !slices.Equal(got, want) {
		t.Errorf("All() = %v, want %v", got, want)
	}
}

// A chain and a fan of 100,000 entries (pitfalls 74, 75).
func TestDeepAndWide(t *testing.T) {
	const n = 100_000
	var deep, wide, backwards tree.Tree
	for i := range n {
		deep.Add(tree.Node{ID: fmt.Sprint(i), Parent: parent(i - 1)})
		wide.Add(tree.Node{ID: fmt.Sprint(i), Parent: parent(min(i-1, 0))})
		backwards.Add(tree.Node{ID: fmt.Sprint(n - i), Parent: parent(n - i - 1)})
	}
	if got := len(deep.Path(n - 1)); got != n {
		t.Errorf("deep path has %d entries, want %d", got, n)
	}
	if got := len(wide.Children(0)); got != n-1 {
		t.Errorf("wide fan has %d children, want %d", got, n-1)
	}
	if got := len(backwards.Path(0)); got != n {
		t.Errorf("path of a chain written backwards has %d entries, want %d", got, n)
	}
}

func parent(i int) string {
	if i < 0 {
		return ""
	}
	return fmt.Sprint(i)
}

func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{10_000, 50_000, 250_000} {
		nodes := make([]tree.Node, n)
		for i := range nodes {
			nodes[i] = tree.Node{ID: fmt.Sprintf("%08x", i*2654435761), Parent: parent(-1)}
			if i > 0 {
				nodes[i].Parent = nodes[i-1].ID
			}
		}
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var t tree.Tree
				t.Grow(n)
				for i := range nodes {
					t.Add(nodes[i])
				}
				if len(t.Path(n-1)) != n {
					b.Fatal("path is cut")
				}
			}
		})
	}
}
