package pith_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

func branching(t *testing.T) string {
	return write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two")+line("c", "b", "user", "three"))
}

// Navigation without a message survives closing, for readers that resume at the
// last line too (pitfall 78); nothing is written where nothing moved.
func TestLeafIsRecorded(t *testing.T) {
	path := branching(t)
	s := open(t, path, pith.Options{})
	if err := s.Branch("a"); err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after := read(t, path)
	added := strings.TrimPrefix(after, before)
	if strings.Count(added, "\n") != 1 || !strings.Contains(added, `"customType":"pith/leaf"`) || !strings.Contains(added, `"parentId":"a"`) {
		t.Errorf("Close appended %q, want one pith/leaf entry under a", added)
	}
	again := open(t, path, pith.Options{})
	if got := said(t, again); got != "one" {
		t.Errorf("said after reopening = %q, want %q", got, "one")
	}
	if err := again.Close(); err != nil || read(t, path) != after {
		t.Errorf("reopening and closing wrote again: %v", err)
	}
	third := open(t, path, pith.Options{})
	say(t, third, "other")
	if got := said(t, open(t, path, pith.Options{})); got != "one|other" {
		t.Errorf("said = %q, want %q", got, "one|other")
	}
}

// A name, a label or state of an extension under the new place does not lose it
// (pitfall 78).
func TestLeafIsRecordedBehindBookkeeping(t *testing.T) {
	tests := map[string]func(*pith.Session) (string, error){
		"name":   func(s *pith.Session) (string, error) { return s.SetName(t.Context(), "renamed") },
		"label":  func(s *pith.Session) (string, error) { return s.SetLabel(t.Context(), "a", "here") },
		"custom": func(s *pith.Session) (string, error) { return s.AppendCustom(t.Context(), "state", nil) },
	}
	for name, note := range tests {
		t.Run(name, func(t *testing.T) {
			path := branching(t)
			s := open(t, path, pith.Options{})
			if err := s.Branch("a"); err != nil {
				t.Fatal(err)
			}
			if _, err := note(s); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if got := said(t, open(t, path, pith.Options{})); got != "one" {
				t.Errorf("said after reopening = %q, want %q", got, "one")
			}
		})
	}
}

func TestLeafBeforeTheFirst(t *testing.T) {
	path := branching(t)
	s := open(t, path, pith.Options{})
	s.ResetLeaf()
	if s.LeafID() != "" || said(t, s) != "" {
		t.Errorf("after ResetLeaf: leaf %q, said %q", s.LeafID(), said(t, s))
	}
	s.Close()
	again := open(t, path, pith.Options{})
	if got := said(t, again); got != "" {
		t.Errorf("said after reopening = %q, want nothing", got)
	}
	say(t, again, "anew")
	if got := said(t, open(t, path, pith.Options{})); got != "anew" {
		t.Errorf("said = %q, want %q", got, "anew")
	}
}

// Moving there and back leaves no trace, nor does moving while others write.
func TestLeafIsNotRecordedNeedlessly(t *testing.T) {
	path := branching(t)
	s := open(t, path, pith.Options{})
	_ = s.Branch("a")
	_ = s.Branch("c")
	before := read(t, path)
	s.Close()
	if read(t, path) != before {
		t.Error("a leaf that came back was recorded")
	}
	s = open(t, path, pith.Options{})
	_ = s.Branch("a")
	foreign(t, path, line("d", "c", "assistant", "four"))
	s.Close()
	if got := said(t, open(t, path, pith.Options{})); got != "one|two|three|four" {
		t.Errorf("said = %q: recording a leaf hid what others wrote", got)
	}
}

func TestBranchAndSummary(t *testing.T) {
	s := open(t, branching(t), pith.Options{})
	if err := s.Branch("nope"); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("Branch of an unknown entry = %v, want ErrNoEntry", err)
	}
	id, err := s.BranchWithSummary(t.Context(), "a", format.BranchSummary{Summary: "went wrong", Details: []byte(`{ "readFiles" : [ ] }`)})
	if err != nil {
		t.Fatal(err)
	}
	if got := said(t, s); got != "one|branchSummary" {
		t.Errorf("said = %q, want %q", got, "one|branchSummary")
	}
	e, err := s.Entry(id)
	if err != nil {
		t.Fatal(err)
	}
	// fromId is the leaf that was left (pitfall 119).
	if raw := string(e.Head().Raw); !strings.Contains(raw, `"fromId":"c","summary":"went wrong","details":{"readFiles":[]}`) {
		t.Errorf("entry = %s", raw)
	}
}

// Deep and wide sessions in every walk (pitfalls 74, 75).
func TestDeepSession(t *testing.T) {
	n := 100_000
	if testing.Short() { // takes long with the race detector
		n = 10_000
	}
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		parent := ""
		if i > 0 {
			parent = fmt.Sprintf("e%d", i-1)
		}
		b.WriteString(line(fmt.Sprintf("e%d", i), parent, "user", "x"))
	}
	for i := range n {
		b.WriteString(line(fmt.Sprintf("w%d", i), "e0", "user", "y"))
	}
	b.WriteString(line("last", fmt.Sprintf("e%d", n-1), "user", "z"))
	s := open(t, write(t, b.String()), pith.Options{})
	if ids, err := s.View().PathIDs(s.LeafID()); err != nil || len(ids) != n+1 {
		t.Errorf("path has %d entries, %v; want %d", len(ids), err, n+1)
	}
	if got := strings.Count(said(t, s), "|"); got != n {
		t.Errorf("context has %d messages, want %d", got+1, n+1)
	}
	roots := s.View().Tree()
	if len(roots) != 1 || len(roots[0].Children) != n+1 {
		t.Errorf("tree has %d roots, %d children of the first; want 1, %d", len(roots), len(roots[0].Children), n+1)
	}
	x, err := s.Clone(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if x.View().Len() != n+1 {
		t.Errorf("extract has %d entries, want %d", x.View().Len(), n+1)
	}
}

// If OpenClaw recorded the leaf, the session is at the recorded entry. Any later
// entry moves it, as in OpenClaw.
func TestLeafRecordOfOpenClaw(t *testing.T) {
	record := func(id, target string) string {
		return `{"type":"leaf","id":"` + id + `","parentId":"c","timestamp":"2026-02-03T22:52:08.000Z","targetId":` + target + "}\n"
	}
	note := func(parent string) string {
		return `{"type":"label","id":"n","parentId":` + parent + `,"timestamp":"2026-02-03T22:52:09.000Z","targetId":"a","label":"x"}` + "\n"
	}
	const name = `{"type":"session_info","id":"n","parentId":"c","timestamp":"2026-02-03T22:52:09.000Z","name":"x"}` + "\n"
	tests := map[string]struct{ lines, leaf, said string }{
		"a record":             {record("r", `"a"`), "a", "one"},
		"two records":          {record("r", `"a"`) + record("s", `"b"`), "b", "one|two"},
		"a record of a record": {record("r", `"a"`) + record("s", `"r"`), "a", "one"},
		"before the first":     {record("r", `null`), "", ""},
		"a note there":         {record("r", `"a"`) + note(`"a"`), "n", "one"},
		"a note elsewhere":     {record("r", `"a"`) + note(`"c"`), "n", "one|two|three"},
		"a note nowhere":       {record("r", `"a"`) + note(`null`), "n", ""},
		"a name elsewhere":     {record("r", `"a"`) + name, "n", "one|two|three"},
		"an answer behind it":  {record("r", `"a"`) + line("d", "a", "assistant", "other"), "d", "one|other"},
		"no record":            {note(`"c"`), "n", "one|two|three"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := branching(t)
			appendTo(t, path, tt.lines)
			s := open(t, path, pith.Options{})
			if s.LeafID() != tt.leaf || said(t, s) != tt.said {
				t.Errorf("the session stands at %q and says %q; want %q, %q", s.LeafID(), said(t, s), tt.leaf, tt.said)
			}
		})
	}
}
