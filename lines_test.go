package pith_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
)

func TestLinesTellTypeAndRole(t *testing.T) {
	s := open(t, write(t, head+line("a", "", "user", "q")+line("b", "a", "toolResult", "r")+
		`{"type":"label","id":"c","parentId":"b","timestamp":"2026-02-03T22:52:07.000Z","targetId":"a","label":"l"}`+"\n"+
		`{"type":"mode_change","id":"d","parentId":"c","timestamp":"2026-02-03T22:52:07.000Z"}`+"\n"), pith.Options{})
	var got []string
	for l, err := range s.View().Reader().Lines() {
		if err != nil {
			t.Fatalf("Lines: %v", err)
		}
		got = append(got, fmt.Sprintf("%d %s %q %q", l.Pos, l.ID, l.Type, l.Role))
	}
	want := `0 a "message" "user"|1 b "message" "toolResult"|2 c "label" ""|3 d "" ""`
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("Lines = %s, want %s", text, want)
	}
}

func TestStaleErrorCounts(t *testing.T) {
	for _, c := range []struct {
		entries []string
		want    string
	}{
		{[]string{"a"}, "1 new entry, now at a"},
		{[]string{"b", "a"}, "2 new entries, now at a"},
	} {
		e := &pith.StaleError{Path: "/f", Entries: c.entries, Leaf: "a"}
		if got := e.Error(); !strings.Contains(got, c.want) {
			t.Errorf("StaleError of %v = %q, want it to contain %q", c.entries, got, c.want)
		}
	}
}
