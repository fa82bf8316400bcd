package tree_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

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

func saved(t interface{ Fatal(...any) }, tr *tree.Tree) []byte {
	var b bytes.Buffer
	w := envelope.NewFlatWriter(&b)
	tr.Save(w)
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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

// A tree that was saved is the same when it is recalled, and grows as it would have.
func TestSaved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anyNodes(t, "entries")
		was := tree.New(&list)
		if rapid.Bool().Draw(t, "indexed") {
			was.Findings()
		}
		known := list[:len(list):len(list)]
		now, err := tree.Recall(envelope.NewFlatReader(saved(t, was)), &known)
		if err != nil {
			t.Fatalf("Recall: %v", err)
		}
		if diff := same(was, now); diff != "" {
			t.Fatalf("recalled with another %s", diff)
		}
		known = append(known, anyNodes(t, "more")...)
		now.Extend()
		list = known
		was.Extend()
		if diff := same(was, now); diff != "" {
			t.Fatalf("grew with another %s", diff)
		}
	})
}

// Data that is not a tree of these entries is rejected, without a panic.
func TestSavedDamaged(t *testing.T) {
	list := nodes{{ID: "a"}, {ID: "b", Parent: "a"}, {ID: "b", Parent: "a"}, {ID: "c", Parent: "gone"}, {ID: "d", Parent: "d"}, {ID: "e", Parent: "b"}}
	data := saved(t, tree.New(&list))
	fewer := list[:3:3]
	if _, err := tree.Recall(envelope.NewFlatReader(data), &fewer); err == nil {
		t.Error("a tree of more entries than there are was taken")
	}
	if _, err := tree.Recall(envelope.NewFlatReader(data[:len(data)-8]), &list); err == nil {
		t.Error("half a tree was taken")
	}
	rapid.Check(t, func(t *rapid.T) {
		bad := slices.Clone(data)
		for range rapid.IntRange(1, 3).Draw(t, "faults") {
			bad[rapid.IntRange(0, len(bad)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		got, err := tree.Recall(envelope.NewFlatReader(bad), &list)
		if err != nil {
			return
		}
		got.Roots()
	})
}

// Values just outside the tree are rejected like those far outside.
func TestSavedJustOutside(t *testing.T) {
	list := nodes{{ID: "a"}, {ID: "b", Parent: "a"}, {ID: "c", Parent: "a"}, {ID: "a", Parent: "gone"}}
	data := saved(t, tree.New(&list)) // runs from 0, 2 and 3; an id twice; one run that waits
	const runs = 16                   // after the number of entries, and the head of a list
	waits := len(data) - 8
	older := bytes.LastIndex(data, binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(nil, 3), 0))
	for name, tt := range map[string]struct {
		at  int
		now int32
	}{
		"a run that begins where the one before does": {runs + 8, 0},
		"a run behind the end":                        {runs + 16, 4},
		"a parent behind the end":                     {runs + 12, 4},
		"a parent before the first":                   {runs + 12, -2},
		"an entry that is the one before itself":      {older + 8, 3},
		"a run that waits and is not there":           {waits, 3},
		"a run that waits before the first":           {waits, -1},
	} {
		t.Run(name, func(t *testing.T) {
			bad := slices.Clone(data)
			binary.NativeEndian.PutUint32(bad[tt.at:], uint32(tt.now))
			if _, err := tree.Recall(envelope.NewFlatReader(bad), &list); err == nil {
				t.Error("it was taken")
			}
		})
	}
	if _, err := tree.Recall(envelope.NewFlatReader(data), &list); err != nil {
		t.Errorf("as it was saved: %v", err)
	}
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

// The leaf of a session: see Stand (pitfall 77).
func TestStand(t *testing.T) {
	// Each word is an entry: m is a message and n a note, with the number of its parent.
	tests := map[string]int{
		"":                tree.None,
		"m- m0 m1":        2,
		"m- m0 m0":        2,
		"m- n0":           1, // a note after the last message
		"m- n0 n1":        2,
		"m- m0 n0":        1, // an old window wrote it
		"m- m0 n0 n2":     1,
		"m- m0 n1 n0":     1,
		"n- n0":           1, // notes alone
		"m- n-":           0, // a note that hangs nowhere
		"m- m0 n1 m0 n3":  4,
		"m- m0 n1 m0 n2":  3,
		"m- n0 m1 m2 n3":  4,
		"n- m0 m1 n1 n2":  4,
		"n- m0 m1 n2 n1 ": 2,
	}
	for words, want := range tests {
		entries := strings.Fields(words)
		isNote := func(i int) bool { return entries[i][0] == 'n' }
		parent := func(i int) int {
			if entries[i][1] == '-' {
				return tree.None
			}
			return int(entries[i][1] - '0')
		}
		if got := tree.Stand(len(entries), isNote, parent); got != want {
			t.Errorf("Stand(%q) = %d, want %d", words, got, want)
		}
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
