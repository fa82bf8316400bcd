package list_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/list"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
)

// view draws rows by their numbers; every tenth has a heading.
func view(m *list.Model) []string {
	return m.View(func(i int) []string {
		if i%10 == 0 {
			return []string{"#", fmt.Sprint(i)}
		}
		return []string{fmt.Sprint(i)}
	})
}

func of(n, lines int) *list.Model {
	m := &list.Model{Len: n, Head: func(i int) bool { return i%10 == 0 }}
	m.Height = func(i int) int {
		if i%10 == 0 {
			return 2
		}
		return 1
	}
	m.Resize(lines)
	return m
}

// T1: the selected row is among the shown lines, after any keys and in any window.
func TestSelectedRowIsShown(t *testing.T) {
	k := keys.Default()
	for _, lines := range []int{1, 2, 3, 7, 20, 60} {
		m := of(45, lines)
		for i := range 400 {
			name := []string{"down", "down", "pgdn", "up", "]", "G", "k", "pgup", "[", "j", "g"}[i*7%11]
			m.Press(screentest.Key(name), k)
			shown := view(m)
			if !slices.Contains(shown, fmt.Sprint(m.At)) || len(shown) > lines {
				t.Fatalf("in %d lines after %s, %d is selected: %q", lines, name, m.At, shown)
			}
			for y, text := range shown {
				if row, ok := m.RowAt(y); text != "#" && lines > 1 && (!ok || fmt.Sprint(row) != text) {
					t.Fatalf("line %d is of row %d, want %s: %q", y, row, text, shown)
				}
			}
		}
	}
}

func TestKeys(t *testing.T) {
	k := keys.Default()
	for press, want := range map[string]int{
		"down down up": 1, "j j j k": 2, "end": 44, "G k": 43, "G g": 0, "]": 10, "] ] [": 10, "] down [": 10, "up": 0, "G down": 44, "pgdn": 9,
	} {
		m := of(45, 10)
		for name := range strings.FieldsSeq(press) {
			if !m.Press(screentest.Key(name), k) {
				t.Errorf("%s does not move", name)
			}
		}
		if m.At != want {
			t.Errorf("%s selects %d, want %d", press, m.At, want)
		}
	}
	if m := of(0, 10); m.Press(screentest.Key("x"), k) || len(view(m)) != 0 {
		t.Error("an empty list shows rows, or x moves")
	}
}
