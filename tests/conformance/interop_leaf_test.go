package conformance_test

import (
	"slices"
	"testing"

	"github.com/pith-sessions/pith"
)

// pi continues at the leaf at which pith closed a session (pitfall 78).
func TestLeafSurvivesInPi(t *testing.T) {
	tests := map[string]struct {
		move  func(t *testing.T, s *pith.Session, id string)
		start bool // the place is before the first entry
	}{
		"moved": {move: func(t *testing.T, s *pith.Session, id string) { moveTo(t, s, id) }},
		"moved and labelled": {move: func(t *testing.T, s *pith.Session, id string) {
			moveTo(t, s, id)
			if _, err := s.SetLabel(t.Context(), id, "here"); err != nil {
				t.Fatal(err)
			}
		}},
		"moved and named": {move: func(t *testing.T, s *pith.Session, id string) {
			moveTo(t, s, id)
			if _, err := s.SetName(t.Context(), "elsewhere"); err != nil {
				t.Fatal(err)
			}
		}},
		"before the first": {start: true, move: func(_ *testing.T, s *pith.Session, _ string) { s.ResetLeaf() }},
	}
	eachPi(t, func(t *testing.T, r rig) {
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				r := r.in(t)
				path := r.written(t, 6000, calls)
				s := openPith(t, path, pith.Options{})
				place := allIDs(t, s)[calls/2]
				tt.move(t, s, place)
				closePith(t, s)
				r.compare(t, path, atLeaf)
				if tt.start {
					place = ""
				}
				r.resumes(t, path, place)
			})
		}
	})
}

func moveTo(t *testing.T, s *pith.Session, id string) {
	t.Helper()
	if err := s.Branch(id); err != nil {
		t.Fatal(err)
	}
}

// resumes checks that pi is at a leaf, continues there, and that pith follows.
func (r rig) resumes(t *testing.T, path, place string) {
	t.Helper()
	ours := reopen(t, path)
	c, err := ours.View().Context(place)
	want := pithContext(t, "leaf", c, err)
	theirs := r.open(t, path)
	got := piAccount(t, theirs, atLeaf)
	sameContexts(t, []contextAccount{want}, got.Contexts)
	if place != "" && !slices.Contains(got.Path, place) {
		t.Errorf("pi stands at %v; want a path through %s", got.Path, place)
	}
	piSide{theirs}.do(t, newAuthor(1, false).user(), nil)
	r.compare(t, path, atLeaf)
	after := reopen(t, path)
	c, err = after.Context()
	if went := pithContext(t, "leaf", c, err); len(went.Messages) != len(want.Messages)+1 {
		t.Errorf("after pi went on the context has %d messages; want the %d from before and pi's", len(went.Messages), len(want.Messages))
	}
}

// pi and pith resume at the last entry, also at a label that was written right
// after a move.
func TestLabelAfterAMove(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		path := r.written(t, 6001, calls)
		s := reopen(t, path)
		place := allIDs(t, s)[calls/2]
		theirs := r.open(t, path)
		if err := theirs.Call(t.Context(), nil, "branch", place); err != nil {
			t.Fatal(err)
		}
		label, err := theirs.Append(t.Context(), "appendLabelChange", place, "here")
		if err != nil {
			t.Fatal(err)
		}
		if got := piAccount(t, r.open(t, path), atLeaf).Leaf; got != label {
			t.Errorf("pi resumes at %s; want the label %s", got, label)
		}
		again := reopen(t, path)
		if got := again.LeafID(); got != label || again.View().Label(place) != "here" {
			t.Errorf("pith resumes at %s with the label %q; want %s and the label here", got, again.View().Label(place), label)
		}
	})
}
