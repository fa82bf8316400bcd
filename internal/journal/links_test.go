package journal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/internal/journal"
)

type nodes = []journal.Entry

func linked(list nodes) *journal.State { return (&journal.State{}).With(list...) }

// build makes a tree of "id<parent@time" words; "<parent" and "@time" may be missing.
func build(words string) *journal.State {
	var list nodes
	for _, w := range strings.Fields(words) {
		n := journal.Entry{Time: journal.NoTime}
		w, at, timed := strings.Cut(w, "@")
		if timed {
			fmt.Sscan(at, &n.Time)
		}
		n.ID, n.Parent, _ = strings.Cut(w, "<")
		list = append(list, n)
	}
	return linked(list)
}

// shape writes the forest as nested brackets of indices, in display order.
func shape(t *journal.State) string {
	var b strings.Builder
	var walk func(i int)
	walk = func(i int) {
		fmt.Fprintf(&b, "%d", i)
		if kids := t.Ordered(i); len(kids) > 0 {
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
	for k, r := range t.Children(journal.None) {
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
			list[i] = journal.Entry{ID: fmt.Sprint(i), Time: rapid.Int64Range(0, 3).Draw(t, "time")}
			if parent >= 0 {
				list[i].Parent = fmt.Sprint(parent)
			}
		}
		tr := linked(list)
		leaf := rapid.IntRange(journal.None, len(list)-1).Draw(t, "leaf")
		var want, got [][2]int
		var walk func(parent, above int)
		walk = func(parent, above int) {
			kids := tr.Ordered(parent)
			slices.SortStableFunc(kids, func(a, b int) int { return onPath(tr, b, leaf) - onPath(tr, a, leaf) })
			for _, k := range kids {
				want = append(want, [2]int{k, above})
				walk(k, len(want)-1)
			}
		}
		walk(journal.None, journal.None)
		chains := tr.DepthFirst(leaf)
		ends := make([]int, len(chains)) // index of the last entry of each, in got
		for k, c := range chains {
			above := journal.None
			if c.Parent != journal.None {
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
func onPath(t *journal.State, i, leaf int) int {
	if leaf != journal.None && t.IsAncestor(i, leaf) {
		return 1
	}
	return 0
}

func findings(t *journal.State) string {
	var out []string
	for _, f := range t.Problems() {
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
		var list nodes
		single := &journal.State{}
		for range n {
			node := journal.Entry{ID: ids.Draw(t, "id"), Parent: ids.Draw(t, "parent"), Time: int64(rapid.IntRange(0, 5).Draw(t, "time"))}
			list = append(list, node)
			single = single.With(node)
		}
		batch := linked(list)
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
		walk(batch.Children(journal.None))
		for i, k := range seen {
			if k != 1 {
				t.Fatalf("entry %d is in the forest %d times", i, k)
			}
			p := batch.Path(i)
			if len(p) == 0 || int(p[len(p)-1]) != i || len(p) > n {
				t.Fatalf("Path(%d) = %v", i, p)
			}
		}
		if a, b := shape(batch), shape(single); a != b && findings(batch) == findings(single) {
			t.Fatalf("all at once %s, one by one %s", a, b)
		}
	})
}

// Parents follow rule T2, whether entries come one by one or together, as long as
// there is no cycle.
func TestParents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"})
		var list nodes
		tr := &journal.State{}
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			n := journal.Entry{ID: ids.Draw(t, "id"), Parent: ids.Draw(t, "parent")}
			if len(list) > 0 && rapid.Bool().Draw(t, "follows") {
				n.Parent = list[len(list)-1].ID
			}
			list = append(list, n)
			if rapid.Bool().Draw(t, "then") {
				tr = tr.With(list[tr.Len():]...)
			}
		}
		tr = tr.With(list[tr.Len():]...)
		if strings.Contains(findings(tr), "cycle") {
			t.Skip("a circle was cut")
		}
		for i, n := range list {
			want := journal.None
			for k, other := range list {
				if n.Parent != "" && other.ID == n.Parent && (k < i || want == journal.None && n.Parent != n.ID) {
					want = k
				}
			}
			if got := tr.Above(i); got != want {
				t.Fatalf("the parent of entry %d of %v = %d, want %d", i, list, got, want)
			}
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
		tr := linked(list)
		up := func(i int) (path []int) {
			for ; i != journal.None; i = tr.Above(i) {
				path = append(path, i)
			}
			return path
		}
		a, b := rapid.IntRange(0, len(list)-1).Draw(t, "a"), rapid.IntRange(0, len(list)-1).Draw(t, "b")
		above := up(a)
		if p := tr.Path(journal.None); len(p) != 0 {
			t.Fatalf("Path(None) = %v, want nothing", p)
		}
		if got := tr.IsAncestor(b, a); got != slices.Contains(above, b) {
			t.Fatalf("IsAncestor(%d, %d) = %t; the path up is %v", b, a, got, above)
		}
		var path []int
		for _, i := range tr.Path(a) {
			path = append(path, int(i))
		}
		if slices.Reverse(path); !slices.Equal(path, above) {
			t.Fatalf("Path(%d) = %v from below, want %v", a, path, above)
		}
		for _, i := range append(up(a), journal.None) {
			var kids []int
			for k := range list {
				if tr.Above(k) == i {
					kids = append(kids, k)
				}
			}
			if got := tr.Children(i); !slices.Equal(got, kids) {
				t.Fatalf("Children(%d) = %v, want %v", i, got, kids)
			}
		}
	})
}

// A chain and a fan of 100,000 entries (pitfalls 74, 75).
func TestDeepAndWide(t *testing.T) {
	const n = 100_000
	var down, fan, up nodes
	for i := range n {
		down = append(down, journal.Entry{ID: fmt.Sprint(i), Parent: parent(i - 1)})
		fan = append(fan, journal.Entry{ID: fmt.Sprint(i), Parent: parent(min(i-1, 0))})
		up = append(up, journal.Entry{ID: fmt.Sprint(n - i), Parent: parent(n - i - 1)})
	}
	deep, wide, backwards := linked(down), linked(fan), linked(up)
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

// anyNodes are entries that link each other in any way.
func anyNodes(t *rapid.T, name string) nodes {
	ids := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g", "an id of more than 8 bytes", "12345678"})
	var list nodes
	for range rapid.IntRange(0, 30).Draw(t, name) {
		n := journal.Entry{ID: ids.Draw(t, "id"), Parent: ids.Draw(t, "parent"), Time: int64(rapid.IntRange(0, 5).Draw(t, "time"))}
		if len(list) > 0 && rapid.Bool().Draw(t, "follows") {
			n.Parent = list[len(list)-1].ID
		}
		list = append(list, n)
	}
	return list
}

// same reports in what two trees differ; "" for nothing.
func same(a, b *journal.State) string {
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

// A State stays as it is when others follow.
func TestStatesStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anyNodes(t, "entries")
		was := linked(list)
		wasShape, wasFindings := shape(was), findings(was)
		more := anyNodes(t, "more")
		next := was.With(more...)
		if diff := same(next, linked(append(slices.Clone(list), more...))); diff != "" && !strings.Contains(findings(next), "cycle") {
			t.Fatalf("the next State has another %s", diff)
		}
		if diff := same(was, linked(list)); diff != "" || shape(was) != wasShape || findings(was) != wasFindings {
			t.Fatalf("the State before became %s (%s), was %s (%s): %s", shape(was), findings(was), wasShape, wasFindings, diff)
		}
	})
}

func TestFindAll(t *testing.T) {
	tr := build("a b<a a<b c<a a<c")
	if got := tr.FindAll("a"); !slices.Equal(got, []int{0, 2, 4}) || tr.Find("a") != 4 || tr.Len() != 5 {
		t.Errorf("a is at %v, last %d of %d", got, tr.Find("a"), tr.Len())
	}
	if got := tr.FindAll("x"); got != nil || tr.Find("x") != journal.None || tr.Find("") != journal.None {
		t.Errorf("x is at %v, last %d; without an id %d", got, tr.Find("x"), tr.Find(""))
	}
	if tr := build("a <a"); tr.Find("") != journal.None {
		t.Errorf("an entry without an id is found, at %d", tr.Find(""))
	}
	if none := build(""); none.Find("a") != journal.None || none.Len() != 0 {
		t.Error("an empty tree holds a")
	}
}

// Each finding says what is wrong, and that nothing is lost by it.
func TestFindingWords(t *testing.T) {
	words := map[string]string{"b<gone": `"gone" is not in the file`, "a<a": "own parent", "a<b b<a": "own ancestor", "a a": "used before"}
	for tree, want := range words {
		list := build(tree).Problems()
		if len(list) != 1 || !strings.Contains(list[0].String(), want) {
			t.Errorf("findings of %q: %v, want %s", tree, list, want)
		}
	}
}
