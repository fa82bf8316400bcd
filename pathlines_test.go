package pith_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
)

func TestPathEnvelopes(t *testing.T) {
	s := open(t, write(t, head+line("a", "", "user", "q")+line("b", "a", "assistant", "left")+line("c", "a", "toolResult", "r")+
		`{"type":"mode_change","id":"d","parentId":"c"}`+"\n"), pith.Options{})
	path, err := s.PathEnvelopes("d")
	if err != nil {
		t.Fatalf("PathEnvelopes: %v", err)
	}
	var got []string
	for _, e := range path {
		got = append(got, fmt.Sprintf("%d %s %q %q %v", e.Pos, e.ID, e.Type, e.Role, e.Time.IsZero()))
	}
	want := `0 a "message" "user" false|2 c "message" "toolResult" false|3 d "" "" true`
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("PathEnvelopes(d) = %s, want %s", text, want)
	}
	if all := s.Envelopes(); len(all) != 4 || all[1].ID != "b" {
		t.Errorf("Envelopes = %v, want all four", all)
	}
	if _, err := s.PathEnvelopes("nothing"); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("PathEnvelopes of an unknown entry = %v, want ErrNoEntry", err)
	}
	if e := path[0]; e.Size == 0 || e.Time.Location() == time.UTC && e.Time.Year() < 2000 {
		t.Errorf("PathEnvelopes(d)[0] = %+v, want a size and a time", e)
	}
}

func TestLineReader(t *testing.T) {
	s := open(t, write(t, head+line("a", "", "user", "q")+line("b", "a", "assistant", "x")+line("c", "b", "user", "y")), pith.Options{})
	lines := s.LineReader()
	for _, tt := range []struct {
		pos int
		id  string
		err error
	}{{2, "c", nil}, {0, "a", nil}, {1, "b", nil}, {3, "", pith.ErrNoEntry}, {-1, "", pith.ErrNoEntry}} {
		got, err := lines.At(tt.pos)
		if got.ID != tt.id || !errors.Is(err, tt.err) {
			t.Errorf("At(%d) = %q, %v; want %q, %v", tt.pos, got.ID, err, tt.id, tt.err)
		}
		if err == nil && !strings.Contains(string(got.Raw), `"id":"`+tt.id+`"`) {
			t.Errorf("At(%d) = %s, want the line of %s", tt.pos, got.Raw, tt.id)
		}
	}
}
