package diff_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/inspect/diff"
	"github.com/pith-sessions/pith/tests/corpus"
)

// parted writes the zoo and opens an exhibit: its session and the other one, which
// is the same where there is none.
func parted(t *testing.T, name string) (a, b *pith.Session) {
	t.Helper()
	dir := t.TempDir()
	all, err := corpus.WriteZoo(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Name != name {
			continue
		}
		a = open(t, filepath.Join(dir, filepath.FromSlash(e.Session)))
		if e.Other == "" {
			return a, a
		}
		return a, open(t, filepath.Join(dir, filepath.FromSlash(e.Other)))
	}
	t.Fatalf("the zoo has no %s", name)
	return nil, nil
}

func open(t *testing.T, path string) *pith.Session {
	t.Helper()
	s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func compare(t *testing.T, a, b diff.Side) *diff.Comparison {
	t.Helper()
	c, err := diff.Compare(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	swapped, err := diff.Compare(t.Context(), b, a)
	if err != nil {
		t.Fatal(err)
	}
	swapped.A, swapped.B = swapped.B, swapped.A
	swapped.Common.LastA, swapped.Common.LastB = swapped.Common.LastB, swapped.Common.LastA
	if !reflect.DeepEqual(c, swapped) {
		t.Errorf("Compare with the sides swapped = %+v; want %+v", swapped, c)
	}
	return c
}

// checkTable checks the side that stored what was sent in a table.
func checkTable(t *testing.T, b diff.Branch) {
	t.Helper()
	var asked []string
	for _, x := range b.Turns {
		asked = append(asked, x.Text)
	}
	if b.Entries != 9 || strings.Join(asked, "|") != `where is "already sent" stored?|then store it in the database` || b.Turns[0].Number != 2 || b.Turns[1].Calls != 2 {
		t.Errorf("the table: %d entries, turns %+v", b.Entries, b.Turns)
	}
	if got := strings.Join(b.Modified, " "); got != "internal/notify/sent.go internal/notify/worker.go" || strings.Join(b.Read, " ") != "internal/queue/lease.go" {
		t.Errorf("the table modified %q and read %q", got, b.Read)
	}
	if b.Spent.Cost.Micros() != 80_000 || !strings.HasPrefix(b.Answer, "Every mail is claimed") || b.Failure != "" || b.AnswerEntry != b.Last {
		t.Errorf("the table spent %+v and answered %q (%s)", b.Spent, b.Answer, b.Failure)
	}
}

func checkMutex(t *testing.T, b diff.Branch) {
	t.Helper()
	want := []diff.Tool{{Name: "bash", Calls: 1, Errors: 1}, {Name: "edit", Calls: 1}}
	if b.Entries != 5 || !reflect.DeepEqual(b.Tools, want) || b.Turns[0].Errors != 1 || b.Spent.Cost.Micros() != 40_000 {
		t.Errorf("the mutex: %d entries, tools %+v, turns %+v, spent %+v", b.Entries, b.Tools, b.Turns, b.Spent)
	}
}

func checkCommon(t *testing.T, c *diff.Comparison) {
	t.Helper()
	k := c.Common
	if k.Entries != 5 || k.Turns != 1 || k.Question != "customers get the mail twice, why?" || k.Spent.Cost.Micros() != 40_000 {
		t.Errorf("common: %+v; want five entries and one turn", k)
	}
}

func TestBranches(t *testing.T) {
	s, _ := parted(t, "branches")
	other, ok := diff.OtherEnd(s)
	if !ok {
		t.Fatal("OtherEnd found no other branch")
	}
	c := compare(t, diff.Side{Session: s, Leaf: s.LeafID()}, diff.Side{Session: s, Leaf: other})
	checkCommon(t, c)
	checkTable(t, c.A)
	checkMutex(t, c.B)
	v := s.View()
	a, err := v.PathIDs("")
	if err != nil {
		t.Fatal(err)
	}
	b, err := v.PathIDs(other)
	want := ""
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		want = a[i]
	}
	if err != nil || c.Common.LastA != want || c.Common.LastB != want {
		t.Errorf("they part after %s and %s; want %s, %v", c.Common.LastA, c.Common.LastB, want, err)
	}
	if strings.Join(c.BothModified, " ") != "internal/notify/worker.go" {
		t.Errorf("both modified %q", c.BothModified)
	}
}

// A fork has a name of its own in between, which parts nothing.
func TestFork(t *testing.T) {
	a, b := parted(t, "fork")
	c := compare(t, diff.Side{Session: a, Leaf: a.LeafID()}, diff.Side{Session: b, Leaf: b.LeafID()})
	checkCommon(t, c)
	checkMutex(t, c.A)
	checkTable(t, c.B)
}

// A copy whose entries were given other ids is the same history.
func TestOtherIDs(t *testing.T) {
	a, _ := parted(t, "fork")
	ids, err := a.View().PathIDs(a.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(a.File())
	if err != nil {
		t.Fatal(err)
	}
	renamed := string(text)
	for _, id := range ids {
		renamed = strings.ReplaceAll(renamed, `"`+id+`"`, `"x`+id+`"`)
	}
	path := filepath.Join(t.TempDir(), "renamed.jsonl")
	if err := os.WriteFile(path, []byte(renamed), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, path)
	c := compare(t, diff.Side{Session: a, Leaf: a.LeafID()}, diff.Side{Session: b, Leaf: b.LeafID()})
	if c.A.Entries != 0 || c.B.Entries != 0 || c.Common.LastB != "x"+c.Common.LastA {
		t.Errorf("a copy with other ids: common %+v, %d and %d entries apart", c.Common, c.A.Entries, c.B.Entries)
	}
}

func TestOneSideEnds(t *testing.T) {
	a, b := parted(t, "continued")
	c := compare(t, diff.Side{Session: a, Leaf: a.LeafID()}, diff.Side{Session: b, Leaf: b.LeafID()})
	checkCommon(t, c)
	if c.B.Entries != 0 || c.B.First != "" {
		t.Errorf("the copy went on: %+v", c.B)
	}
	checkTable(t, c.A)
	if _, ok := diff.OtherEnd(a); ok {
		t.Errorf("OtherEnd of a session without branches found one")
	}
}

func TestStrangers(t *testing.T) {
	a, b := parted(t, "strangers")
	c := compare(t, diff.Side{Session: a, Leaf: a.LeafID()}, diff.Side{Session: b, Leaf: b.LeafID()})
	if c.Common != (diff.Common{}) || c.A.Entries != 5 || c.B.Entries != 2 || c.A.Turns[0].Number != 1 {
		t.Errorf("strangers: common %+v, %+v, %+v", c.Common, c.A, c.B)
	}
	if _, err := diff.Compare(t.Context(), diff.Side{Session: a, Leaf: "nowhere"}, diff.Side{Session: b}); err == nil {
		t.Errorf("Compare at no entry: no error")
	}
	if c := compare(t, diff.Side{Session: a}, diff.Side{Session: b}); c.A.Entries+c.B.Entries+c.Common.Entries != 0 {
		t.Errorf("before the first entry: %+v", c)
	}
}

// Comparing any odd session with itself finds no difference, and its branches
// diverge where its tree does.
func TestOddSessions(t *testing.T) {
	for _, odd := range corpus.Odd() {
		path := filepath.Join(t.TempDir(), "odd.jsonl")
		if err := os.WriteFile(path, odd.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
		if err != nil {
			continue
		}
		side := diff.Side{Session: s, Leaf: s.LeafID()}
		c := compare(t, side, side)
		if c.A.Entries != 0 || c.B.Entries != 0 {
			t.Errorf("%s differs from itself: %+v", odd.Name, c)
		}
		if other, ok := diff.OtherEnd(s); ok {
			c := compare(t, side, diff.Side{Session: s, Leaf: other})
			if c.B.Entries == 0 {
				t.Errorf("%s: the other branch ends at %s, on the active path", odd.Name, other)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
