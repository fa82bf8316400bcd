package picker_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

func markedFamily() []picker.Item {
	items := append(family(), item("put away", 3, 4))
	items[2].Marks = marks.Marks{Pinned: true, Tags: []string{"parser", "urgent"}} // the fork
	items[5].Marks = marks.Marks{Archived: true}
	return items
}

// pitfall 142: pinned sessions come first, with the thread that they are in; archived
// ones are hidden; tags are found. The newest session is selected.
func TestMarks(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, markedFamily()...)
	d.wantRows("  ↳ fork one  #parser #urgent", "› Parser bug", "  ↳ fork of fork", "  setup", "  lonely")
	d.press("ctrl+s")
	d.wantRows("  setup", "› ↳ fork one  #parser #urgent", "  ↳ fork of fork", "  Parser bug", "  lonely")
	d.press("ctrl+s ctrl+s ctrl+s")
	for _, r := range "archived:yes" {
		d.press(string(r))
	}
	d.wantRows("› put away  archived")
	d.press("ctrl+u # u r g")
	d.wantRows("› ↳ fork one  #parser #urgent")
}

func TestMarkKeys(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, item("a", 1, 1), item("b", 2, 1), item("c", 3, 1))
	d.press("down down space m p")
	d.wantRows("› c", "  a", "  b") // the selection goes with it
	d.press("down space m a")
	d.wantRows("  c", "› b") // the place stays
	if !d.marked["0199-c"].Pinned || !d.marked["0199-a"].Archived {
		t.Errorf("kept: %+v", d.marked)
	}
	d.press("ctrl+z")
	if d.marked["0199-a"].Archived {
		t.Errorf("after undo: %+v", d.marked)
	}
}

// A header may hold a path of any length: a frame costs what is shown.
func TestEndlessPath(t *testing.T) {
	long := item("a", 1, 1)
	long.Cwd = strings.Repeat("/設定", 1<<19)
	d := start(t, picker.Options{}, 80, 30, long)
	d.press("tab")
	if !strings.Contains(d.screen(80), "設定") {
		t.Errorf("the row does not name the project:\n%s", d.screen(80))
	}
}

// Enter is first, there are at most six hints, the last is help, and every key that is
// shown does something.
func TestHintsWork(t *testing.T) {
	for name, o := range map[string]picker.Options{"list": {}, "chooser": {Pick: true}} {
		look := func(press string) (*desk, string) {
			d := start(t, o, 200, 30, markedFamily()...)
			d.press(press)
			return d, d.screen(200)
		}
		_, before := look("")
		lines := strings.Split(before, "\n")
		hints := strings.Split(strings.TrimSpace(lines[len(lines)-1]), " · ")
		if len(hints) != 6 || !strings.HasPrefix(hints[0], "enter ") || hints[5] != "? more" {
			t.Errorf("%s: the hints are %q; want enter first, at most six, and ? more", name, hints)
		}
		for _, hint := range hints {
			key, word, _ := strings.Cut(hint, " ")
			if d, after := look(key); after == before && len(d.told) == 0 && len(d.boxes) == 0 {
				t.Errorf("%s: %s (%s) does nothing:\n%s", name, key, word, after)
			}
		}
	}
}

// An operation applies to all selected sessions.
func TestSeveral(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, item("a", 1, 1), item("b", 2, 1), item("c", 3, 1), item("d", 4, 1))
	d.press("ctrl+space ctrl+space")
	d.wantRows("+ a", "+ b", "› c", "  d")
	d.press("up down space m t x space y enter")
	if strings.Join(d.marked["0199-a"].Tags, " ") != "x y" || strings.Join(d.marked["0199-b"].Tags, " ") != "x y" || len(d.marked["0199-c"].Tags) != 0 {
		t.Errorf("kept after tagging two: %+v", d.marked)
	}
	d.press("g space a space a ctrl+d")
	if !strings.Contains(d.screen(80), "Delete 2 sessions?") {
		t.Errorf("it is not asked for both:\n%s", d.screen(80))
	}
	d.press("y")
	if len(d.deleted) != 2 {
		t.Fatalf("deleted %v, want two", d.deleted)
	}
	d.press("ctrl+z")
	if len(d.deleted) != 0 {
		t.Errorf("after undo %v are still deleted", d.deleted)
	}
}

// Everything that a search finds is deleted with five keys.
func TestDeleteAllOfASearch(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.press("f o r k")
	d.press("up space A ctrl+d enter")
	if len(d.deleted) != 2 {
		t.Errorf("deleted %v, want the two forks", d.deleted)
	}
}

// What the app does with a session is asked for with its letter.
func TestWishes(t *testing.T) {
	for key, want := range map[string]keys.Action{"o": keys.Open, "O": keys.OpenElsewhere, "t": keys.Tree, "f": keys.Fork, "c": keys.Clone, "v": keys.Compare, "x": keys.Export, "n": keys.SessionNew} {
		d := start(t, picker.Options{}, 80, 30, item("a", 1, 1))
		d.press("space " + key)
		if len(d.told) != 1 {
			t.Fatalf("%s told %v", key, d.told)
		}
		if got, ok := d.told[0].(picker.Wish); !ok || got.Action != want {
			t.Errorf("%s asks for %v, want %s", key, d.told[0], want)
		}
	}
}
