package treeview_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
)

// The tree shows and finds the same whether its notes stay in memory or are read
// again.
func TestNotesThatAreNotKept(t *testing.T) {
	for _, keys := range []string{
		"", "up up", "ctrl+u", "ctrl+a", "/ s u b", "/ s u b esc", "/ b r a n c h", "/ b r a n c h backspace", "/ s t a r t", "/ q q q",
		"/ q q q backspace backspace backspace", "/ a n s w e r up up esc", "g ctrl+left", "/ r o o t esc G", "ctrl+u / 1", "/ 1 ctrl+a",
	} {
		want := start(t, sample, 100, 40, nil)
		want.press(keys)
		for _, most := range []int{1, 5, 13} {
			got := start(t, sample, 100, 40, func(o *treeview.Options) { o.KeepNotes(most) })
			got.press(keys)
			if g, w := got.rows(100, 40), want.rows(100, 40); g != w || strings.Contains(w, "…") {
				t.Errorf("after %q with %d notes in memory:\n%s\nwith all of them:\n%s", keys, most, g, w)
			}
		}
	}
}

// Notes around the screen are forgotten when there are many, but not those on
// the screen.
func TestRecentNotesAreForgotten(t *testing.T) {
	d := &desk{t: t}
	d.open(chain(d, 20_000), 100, 40, func(o *treeview.Options) { o.KeepNotes(1) })
	for range 600 {
		d.press("pgup")
		if rows := d.rows(100, 40); strings.Contains(rows, "…") {
			t.Fatalf("rows without a note:\n%s", rows)
		}
	}
	if n := d.m.RecentNotes(); n > 6000 {
		t.Errorf("%d notes are in memory after moving through the tree", n)
	}
}
