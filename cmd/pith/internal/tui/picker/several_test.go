package picker_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
)

// An operation applies to all selected sessions.
func TestSeveral(t *testing.T) {
	kept := keeper{}
	d := start(t, picker.Options{Mark: kept.mark}, 80, 30, item("a", 1, 1), item("b", 2, 1), item("c", 3, 1), item("d", 4, 1))
	d.press("alt+v alt+v")
	d.wantRows(" +a", " +b", "› c", "  d")
	d.press("alt+t x space y enter")
	if strings.Join(kept["0199-a"].Tags, " ") != "x y" || strings.Join(kept["0199-b"].Tags, " ") != "x y" || len(kept["0199-c"].Tags) != 0 {
		t.Errorf("kept after tagging two: %+v", kept)
	}
	d.press("up up up alt+v alt+v alt+s")
	if !kept["0199-a"].Pinned || !kept["0199-b"].Pinned || kept["0199-c"].Pinned {
		t.Errorf("kept after pinning two: %+v", kept)
	}
	d.press("up up up alt+v alt+v alt+a")
	if !kept["0199-a"].Archived || !kept["0199-b"].Archived || kept["0199-c"].Archived {
		t.Errorf("kept after archiving two: %+v", kept)
	}
	d.wantRows("› c", "  d")
	d.press("alt+h up up up alt+v alt+v alt+a alt+h up up up alt+v alt+v ctrl+d")
	if view := paint.Bare(d.m.View(paint.New(true, false), 80, 30)); !strings.Contains(view, "Delete 2 sessions?") {
		t.Errorf("it is not asked for both:\n%s", view)
	}
	d.press("y")
	if len(d.deleted) != 2 {
		t.Fatalf("deleted %v, want two", d.deleted)
	}
	d.wantRows("› c", "  d")
	d.press("ctrl+z")
	if len(d.deleted) != 0 {
		t.Errorf("after undo %v are still deleted", d.deleted)
	}
}

// One session has the tags that were typed, and a key asks for the other
// agent.
func TestTagsOfOne(t *testing.T) {
	kept := keeper{}
	d := start(t, picker.Options{Mark: kept.mark}, 80, 30, item("a", 1, 1), item("b", 2, 1))
	d.press("alt+t o n e enter")
	d.wantRows("› a #one", "  b")
	d.press("alt+t ctrl+u t w o enter")
	d.wantRows("› a #two", "  b")
	d.press("alt+o")
	if len(d.told) != 1 || d.told[0] != (picker.HandOver{Path: d.items[picker.Current][0].Path}) {
		t.Errorf("told %+v; want the other agent", d.told)
	}
}
