package pith_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

func idsOf(v *pith.View, path []int) []string {
	var out []string
	for _, pos := range path {
		out = append(out, v.At(pos).ID)
	}
	return out
}

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
		active, err := v.Path("")
		if got := idsOf(v, active); err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%s: Path(\"\") = %v, %v; want a, b", when, got, err)
		}
		late, err := v.Path("late")
		if got := idsOf(v, late); err != nil || !slices.Equal(got, []string{"late"}) {
			t.Errorf("%s: Path(late) = %v, %v; want it alone", when, got, err)
		}
		kids, err := v.Children("b")
		if err != nil || len(kids) != 0 || v.Len() != 3 || v.LeafID() != "b" || v.Label("a") != "" || v.Name() != "" || len(v.Tree()) != 2 {
			t.Errorf("%s: children %v, %v, %d entries, leaf %s, label %q, name %q, %d roots", when, kids, err, v.Len(), v.LeafID(), v.Label("a"), v.Name(), len(v.Tree()))
		}
		if _, err := v.Find("later"); !errors.Is(err, pith.ErrNoEntry) {
			t.Errorf("%s: Find(later) = %v, want ErrNoEntry", when, err)
		}
		c, err := v.Context("")
		if err != nil {
			t.Fatalf("%s: Context: %v", when, err)
		}
		if n := c.Len(); n != 2 {
			t.Errorf("%s: the context has %d messages, want 2", when, n)
		}
	}
	check("at first")
	for _, text := range []string{"four", "five"} {
		if _, err := s.AppendMessage(&format.User{Content: format.TextContent(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.SetLabel("a", "here"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetName("named"); err != nil {
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

// What a view hands out may be kept, and goroutines may share the view while the
// session goes on.
func TestViewIsShared(t *testing.T) {
	s, err := pith.InMemory("/p", pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const entries = 500
	for i := range entries {
		if _, err := s.AppendMessage(&format.User{Content: format.TextContent(fmt.Sprintf("text %d", i))}); err != nil {
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
		if _, err := s.AppendMessage(&format.User{Content: format.TextContent(fmt.Sprintf("more %d", i))}); err != nil {
			t.Error(err)
		}
	}
	work.Wait()
}
