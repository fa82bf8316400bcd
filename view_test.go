package pith_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/tests/corpus"
)

// A view stays as it was, whatever the session and others do since.
func TestViewStaysAsItWas(t *testing.T) {
	// "late" names a parent that is not in the file yet.
	path := write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two")+line("late", "later", "user", "three"))
	s := open(t, path, pith.Options{OnConflict: pith.FollowNew})
	if err := s.Branch("b"); err != nil {
		t.Fatal(err)
	}
	v := s.View()
	check := func(when string) {
		t.Helper()
		got, err := v.PathIDs("")
		if err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%s: Path(\"\") = %v, %v; want a, b", when, got, err)
		}
		got, err = v.PathIDs("late")
		if err != nil || !slices.Equal(got, []string{"late"}) {
			t.Errorf("%s: Path(late) = %v, %v; want it alone", when, got, err)
		}
		kids, err := v.Children("b")
		if err != nil || len(kids) != 0 || v.Len() != 3 || v.At(v.Leaf()).ID != "b" || v.Label("a") != "" || len(v.Tree()) != 2 {
			t.Errorf("%s: children %v, %v, %d entries, leaf %s, label %q, %d roots", when, kids, err, v.Len(), v.At(v.Leaf()).ID, v.Label("a"), len(v.Tree()))
		}
		if pos, err := v.Find("later"); !errors.Is(err, pith.ErrNoEntry) {
			t.Errorf("%s: Find(later) = %d, want none", when, pos)
		}
		c, err := v.Context("")
		if err != nil {
			t.Fatalf("%s: Context: %v", when, err)
		}
		if all, err := allOf(c); err != nil || len(all) != 2 {
			t.Errorf("%s: the context has %d messages, %v; want 2", when, len(all), err)
		}
	}
	check("at first")
	for _, text := range []string{"four", "five"} {
		if _, err := s.AppendMessage(t.Context(), &format.User{Content: format.TextContent(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.SetLabel(t.Context(), "a", "here"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetName(t.Context(), "named"); err != nil {
		t.Fatal(err)
	}
	check("after appending")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(line("later", "a", "user", "six"))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Refresh(t.Context()); err != nil || n != 1 {
		t.Fatalf("Refresh = %d, %v", n, err)
	}
	check("after others wrote")
	if got, err := s.View().Path("late"); err != nil || len(got) != 3 {
		t.Errorf("a new view's Path(late) = %v, %v; want a, later, late", got, err)
	}
}

// Data returned by a view may be retained, and goroutines may share the view
// while the session continues.
func TestViewIsShared(t *testing.T) {
	s, err := pith.InMemory(pith.Options{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	const entries = 500
	for i := range entries {
		if _, err := s.AppendMessage(t.Context(), &format.User{Content: format.TextContent(fmt.Sprintf("text %d", i))}); err != nil {
			t.Fatal(err)
		}
	}
	v := s.View()
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			var kept []pith.Line
			for pos := range v.Len() {
				l, err := v.Line(pos)
				if err != nil {
					t.Error(err)
					return
				}
				kept = append(kept, l)
				if at, err := v.Find(l.ID); err != nil || at != pos {
					t.Errorf("Find(%s) = %d, %v; want %d", l.ID, at, err, pos)
				}
			}
			for pos, l := range kept {
				if want := fmt.Sprintf(`"text %d"`, pos); !bytes.Contains(l.Raw, []byte(want)) {
					t.Errorf("the line kept of position %d is %s", pos, l.Raw)
				}
			}
			if path, err := v.Path(""); err != nil || len(path) != entries || len(v.Tree()) != 1 {
				t.Errorf("Path = %d entries, %v", len(path), err)
			}
		})
	}
	for i := range 50 {
		if _, err := s.AppendMessage(t.Context(), &format.User{Content: format.TextContent(fmt.Sprintf("more %d", i))}); err != nil {
			t.Error(err)
		}
	}
	work.Wait()
}

func TestViewPath(t *testing.T) {
	s := open(t, write(t, head+line("a", "", "user", "q")+line("b", "a", "assistant", "left")+line("c", "a", "toolResult", "r")+
		`{"type":"mode_change","id":"d","parentId":"c"}`+"\n"), pith.Options{})
	path, err := s.View().Path("d")
	if err != nil {
		t.Fatalf("Path: %v", err)
	}
	var got []string
	for _, pos := range path {
		e := s.View().At(pos)
		got = append(got, fmt.Sprintf("%d %s %q %q %v", e.Pos, e.ID, e.Type, e.Role, e.Time.IsZero()))
	}
	want := `0 a "message" "user" false|2 c "message" "toolResult" false|3 d "" "" true`
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("Path(d) = %s, want %s", text, want)
	}
	if active, err := s.View().Path(""); err != nil || !slices.Equal(active, path) {
		t.Errorf("Path of nothing = %v, %v; want the active branch, %v", active, err, path)
	}
	if v := s.View(); v.Len() != 4 || v.At(1).ID != "b" {
		t.Errorf("the view has %d entries, want all four", v.Len())
	}
	if _, err := s.View().Path("nothing"); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("Path of an unknown entry = %v, want ErrNoEntry", err)
	}
	if e := s.View().At(path[0]); e.Size == 0 || e.Time.Location() == time.UTC && e.Time.Year() < 2000 {
		t.Errorf("Path(d)[0] = %+v, want a size and a time", e)
	}
}

func TestReader(t *testing.T) {
	s := open(t, write(t, head+line("a", "", "user", "q")+line("b", "a", "assistant", "x")+line("c", "b", "user", "y")), pith.Options{})
	lines := s.View().Reader()
	for _, tt := range []struct {
		pos int
		id  string
		err error
	}{{2, "c", nil}, {0, "a", nil}, {1, "b", nil}, {3, "", pith.ErrNoEntry}, {-1, "", pith.ErrNoEntry}} {
		got, err := lines.Line(tt.pos)
		if got.ID != tt.id || !errors.Is(err, tt.err) {
			t.Errorf("Line(%d) = %q, %v; want %q, %v", tt.pos, got.ID, err, tt.id, tt.err)
		}
		if err == nil && !strings.Contains(string(got.Raw), `"id":"`+tt.id+`"`) {
			t.Errorf("Line(%d) = %s, want the line of %s", tt.pos, got.Raw, tt.id)
		}
	}
}

// For any order of the lines, a node's depth is the length of its path, its
// labels are those of its ID, and its position leads back to its entry.
func TestTreeOfAnyOrder(t *testing.T) {
	label := `{"type":"label","id":"l","parentId":"d","timestamp":"2026-01-02T03:04:05.000Z","targetId":"b","label":"here"}` + "\n"
	for name, lines := range map[string]string{
		"parents first":   line("a", "", "user", "1") + line("b", "a", "assistant", "2") + line("c", "b", "user", "3") + line("d", "b", "user", "4") + label,
		"children first":  line("d", "b", "user", "4") + line("c", "b", "user", "3") + line("b", "a", "assistant", "2") + line("a", "", "user", "1") + label,
		"only backwards":  line("d", "c", "user", "4") + line("c", "b", "user", "3") + line("b", "a", "assistant", "2") + line("a", "", "user", "1") + strings.Replace(label, `"parentId":"d"`, `"parentId":"a"`, 1),
		"an id twice":     line("a", "", "user", "1") + line("b", "a", "assistant", "2") + line("b", "b", "user", "3") + line("d", "b", "user", "4") + label,
		"a parent is out": line("b", "gone", "assistant", "2") + line("c", "b", "user", "3") + line("d", "c", "user", "4") + label,
	} {
		v := open(t, write(t, head+lines), pith.Options{ReadOnly: true}).View()
		seen := 0
		var walk func(nodes []*pith.Node, depth int)
		walk = func(nodes []*pith.Node, depth int) {
			for _, n := range nodes {
				seen++
				e, err := v.Entry(n.Pos)
				if err != nil || e.Head().ID != n.ID || e.Head().Type != n.Type {
					t.Errorf("%s: entry %d of node %s is %+v, %v", name, n.Pos, n.ID, e, err)
				}
				if labelled := n.ID == "b"; n.Depth != depth || (n.Label == "here") != labelled || (n.LabelTime != "") != labelled {
					t.Errorf("%s: node %s has depth %d, label %q of %q; want depth %d", name, n.ID, n.Depth, n.Label, n.LabelTime, depth)
				}
				walk(n.Children, depth+1)
			}
		}
		walk(v.Tree(), 0)
		chained := 0
		for k, c := range v.DepthFirst() {
			chained += int(c.Len)
			if (k == 0) != (c.Parent == -1) || int(c.Parent) >= k || c.Len < 1 {
				t.Errorf("%s: DepthFirst()[%d] = %v", name, k, c)
			}
		}
		if chained != seen {
			t.Errorf("%s: DepthFirst() has %d entries, the tree %d nodes", name, chained, seen)
		}
		if seen != v.Len() {
			t.Errorf("%s: the tree has %d nodes of %d entries", name, seen, v.Len())
		}
	}
}

// A node leads to its entry, through the view that it is of.
func TestEntryOfANode(t *testing.T) {
	v := open(t, write(t, head+line("a", "", "user", "q")+line("b", "a", "assistant", "x")), pith.Options{}).View()
	n := v.Tree()[0].Children[0]
	if e, err := v.Entry(n.Pos); err != nil || e.Head().ID != "b" || e.Head().ParentID != "a" {
		t.Errorf("Entry(%d), of node %s = %+v, %v", n.Pos, n.ID, e, err)
	}
}

// Lines that were chosen are read, in any order, and not what lies between them.
func TestLinesAtReadsLittle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := corpus.WriteFile(path, corpus.Options{Seed: 8, Entries: 3000}); err != nil {
		t.Fatal(err)
	}
	counted := &countingStore{Store: fileStore()}
	v := open(t, path, pith.Options{ReadOnly: true, Store: counted}).View()
	var positions []int
	size := 0
	for pos := 0; pos < v.Len(); pos += 100 {
		positions = append(positions, pos)
		size += v.At(pos).Size
	}
	back := slices.Clone(positions)
	slices.Reverse(back)
	for _, list := range [][]int{positions, {0, 1, 2, 3, 2900, 2901}, back, {5, 5, 4}} {
		counted.bytes.Store(0)
		var got []int
		for line, err := range v.Reader().LinesAt(list) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, line.Pos)
			want, err := v.Line(line.Pos)
			if err != nil || string(line.Raw) != string(want.Raw) {
				t.Fatalf("line %d of %v is %.80s (%v), want %.80s", line.Pos, list, line.Raw, err, want.Raw)
			}
		}
		if !slices.Equal(got, list) {
			t.Errorf("LinesAt(%v) yields %v", list, got)
		}
		if n := int(counted.bytes.Load()); slices.Equal(list, positions) && n > 2*size+64<<10 {
			t.Errorf("%d lines of %d bytes cost %d bytes, those that they are compared with included", len(list), size, n)
		}
	}
	for _, err := range v.Reader().LinesAt([]int{v.Len()}) {
		if !errors.Is(err, pith.ErrNoEntry) {
			t.Errorf("a position behind the end gives %v, want ErrNoEntry", err)
		}
	}
}

// A countingStore counts the bytes that are read of its logs.
type countingStore struct {
	store.Store
	bytes atomic.Int64
}

func (c *countingStore) Open(ctx context.Context, name string) (store.Log, error) {
	log, err := c.Store.Open(ctx, name)
	return &countingLog{log, c}, err
}

type countingLog struct {
	store.Log
	store *countingStore
}

func (l *countingLog) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.Log.ReadAt(p, off)
	l.store.bytes.Add(int64(n))
	return n, err
}
