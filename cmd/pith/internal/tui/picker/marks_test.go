package picker_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// keeper keeps marks in memory.
type keeper map[string]marks.Marks

func (k keeper) mark(id, _ string, change func(*marks.Marks)) (marks.Marks, error) {
	m := k[id]
	change(&m)
	k[id] = m
	return m, nil
}

func markedFamily() []picker.Item {
	items := append(family(), item("put away", 3, 4))
	items[2].Marks = marks.Marks{Pinned: true, Tags: []string{"parser", "urgent"}} // the fork
	items[5].Marks = marks.Marks{Archived: true}
	return items
}

// pitfall 142: pinned sessions come first, with the thread that they are in;
// archived ones are hidden; tags are found.
func TestMarks(t *testing.T) {
	d := start(t, picker.Options{Mark: keeper{}.mark}, 80, 30, markedFamily()...)
	d.wantRows("› setup", "     └─ * fork one #parser #urgent", "        └─ fork of fork", "  Parser bug", "  lonely")
	d.press("ctrl+s")
	d.wantRows("› ⑂ * fork one #parser #urgent", "  Parser bug", "  ⑂ fork of fork", "  setup", "  lonely")
	d.press("alt+h")
	d.wantRows("› ⑂ * fork one #parser #urgent", "  Parser bug", "  put away                                                       archived", "  ⑂ fork of fork", "  setup", "  lonely")
	d.press("alt+h # u r g")
	d.wantRows("› ⑂ * fork one #parser #urgent")
}

func TestMarkKeys(t *testing.T) {
	kept := keeper{}
	d := start(t, picker.Options{Mark: kept.mark}, 80, 30, item("a", 1, 1), item("b", 2, 1), item("c", 3, 1))
	d.press("down down alt+s")
	d.wantRows("› * c", "  a", "  b") // the selection goes with it
	d.press("down alt+a")
	d.wantRows("  * c", "› b") // the place stays
	if view := paint.Bare(d.m.View(paint.New(true, false), 80, 30)); !strings.Contains(view, "1 archived: alt+h to show") {
		t.Errorf("nothing tells of the archived session:\n%s", view)
	}
	if !kept["0199-c"].Pinned || !kept["0199-a"].Archived {
		t.Errorf("kept: %+v", kept)
	}
	d.press("alt+h alt+a alt+h")
	d.wantRows("  * c", "› a", "  b")
	d.press("up alt+s")
	d.wantRows("  a", "  b", "› c")
}

func TestMarkedScreens(t *testing.T) {
	for name, width := range map[string]int{"marks-20": 20, "marks-60": 60, "marks-80": 80, "marks-130": 130} {
		t.Run(name, func(t *testing.T) {
			d := start(t, picker.Options{Mark: keeper{}.mark}, width, 18, markedFamily()...)
			screentest.Keep(t, name, screentest.Plain(d.m.View(paint.New(true, false), width, 18)))
		})
	}
}

// A header may hold a path of any length: a frame costs what is shown.
func TestEndlessPath(t *testing.T) {
	long := item("a", 1, 1)
	long.Cwd = strings.Repeat("/設定", 1<<19)
	d := start(t, picker.Options{}, 80, 30, long)
	d.press("tab")
	if view := paint.Bare(d.m.View(paint.New(true, false), 80, 30)); !strings.Contains(view, "/設定/設定 1  1h") {
		t.Errorf("the row does not end with the path's end and the age:\n%s", view)
	}
}

// Every key that the header shows does something.
func TestHintsWork(t *testing.T) {
	for name, o := range map[string]picker.Options{"list": {}, "chooser": {Pick: true}} {
		look := func(press string) (*desk, string) {
			items := markedFamily()
			o.Mark = keeper{}.mark
			d := start(t, o, 200, 30, items...)
			d.press(press)
			return d, paint.Bare(d.m.View(paint.New(true, false), 200, 30))
		}
		_, before := look("")
		hints := strings.Split(strings.TrimSpace(strings.Split(before, "\n")[2]), " · ")
		if len(hints) != 6 || !strings.HasPrefix(hints[0], "enter ") || hints[5] != "? more" {
			t.Errorf("%s: the hints are %q; want enter first, at most six, and ? more", name, hints)
		}
		for _, hint := range hints[:5] { // help is the app's
			key, word, _ := strings.Cut(hint, " ")
			if d, after := look(key); after == before && len(d.told) == 0 {
				t.Errorf("%s: %s (%s) does nothing:\n%s", name, key, word, after)
			}
		}
	}
}
