package picker_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// A minus before a tag removes that tag and no other.
func TestAMinusRemovesOneTag(t *testing.T) {
	a := item("a", 1, 1)
	a.Marks = marks.Marks{Tags: []string{"draft", "review"}}
	d := start(t, picker.Options{}, 80, 30, a)
	d.press("up space m t ctrl+u - d r a f t enter")
	if got := d.marked[a.ID].Tags; !slices.Equal(got, []string{"review"}) {
		t.Errorf("the tags are %q, want review", got)
	}
}

// Esc leaves the selection, then the search, then the list.
func TestEscLeavesTheInnermost(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.press("l o n e l y ctrl+space")
	d.wantRows("›+lonely")
	d.press("esc")
	d.wantRows("› lonely")
	d.press("esc")
	if len(d.told) != 0 || len(d.rows()) < 3 {
		t.Fatalf("told %v with the rows %q", d.told, d.rows())
	}
	d.press("esc")
	if want := (picker.Closed{}); len(d.told) != 1 || d.told[0] != want {
		t.Errorf("told %v, want %v", d.told, want)
	}
}

// After an arrow the list has the focus: j, k, g and G move, and other letters go to
// the search.
func TestLettersAfterAnArrow(t *testing.T) {
	selected := func(d *desk) string { return d.m.Selected().FirstMessage }
	d := start(t, picker.Options{}, 80, 30, item("one", 1, 1), item("two", 2, 1), item("three", 3, 1), item("jot", 4, 1))
	d.press("down")
	for _, step := range [][2]string{{"j", "three"}, {"k", "two"}, {"G", "jot"}, {"g", "one"}} {
		if d.press(step[0]); selected(d) != step[1] {
			t.Errorf("after %s %q is selected, want %q", step[0], selected(d), step[1])
		}
	}
	d.press("/ j o")
	d.wantRows("› jot")
	d.press("down backspace backspace t h")
	d.wantRows("› three")
}

// A search without a match here tells how many there are in all projects.
func TestMatchesElsewhere(t *testing.T) {
	here, there, hidden := item("here", 1, 1), item("the elephant", 2, 1), item("there", 3, 1)
	d := &desk{t: t, items: map[picker.Scope][]picker.Item{picker.Current: {here}, picker.All: {here, there, hidden}}}
	d.bodies = map[string]string{hidden.Path: "an elephant in the text"}
	d.open(picker.Options{}, 80, 30)
	d.press("e l e p h")
	if !strings.Contains(d.screen(80), "No match in proj. 2 in all projects: tab") {
		t.Errorf("nothing tells of other projects:\n%s", d.screen(80))
	}
	d.press("tab")
	if got := len(d.rows()); got != 3 { // one has a line with what was found
		t.Errorf("%d rows in all projects, want 3", got)
	}
	d.press("tab x")
	if !strings.Contains(d.screen(80), "No match in proj: “elephx” is in none") {
		t.Errorf("the word that is nowhere is not named:\n%s", d.screen(80))
	}
}

// A preview is read again when the session has grown.
func TestPreviewOfAGrownSession(t *testing.T) {
	d := start(t, picker.Options{}, 130, 30, item("one", 1, 1))
	said := &growing{desk: d, text: "first answer"}
	d.m = picker.New(said, picker.Options{Keys: keys.Default(), Pause: -1, Now: func() time.Time { return noon }})
	d.show(130, 30)
	if !strings.Contains(d.screen(130), "first answer") {
		t.Fatalf("no preview:\n%s", d.screen(130))
	}
	said.text = "second answer"
	d.items[picker.Current][0].Size++
	d.run(d.m.Reopen(""))
	if !strings.Contains(d.screen(130), "second answer") {
		t.Errorf("the preview is old:\n%s", d.screen(130))
	}
}

type growing struct {
	*desk
	text string
}

func (g *growing) Preview(context.Context, picker.Spot, blocks.Renderer) ([]string, error) {
	return []string{g.text}, nil
}

// An unknown cost is not left out.
func TestUnknownCost(t *testing.T) {
	for want, spent := range map[string]format.Spent{
		"      –":        {Tokens: 5, Unpriced: 1},
		"1 unknown cost": {Tokens: 5, Unpriced: 1},
		"  $1.20   1h":   {Tokens: 5, Cost: 1_200_000_000, Unpriced: 3},
		"  ~$1.20   1h":  {Tokens: 5, Cost: 1_200_000_000, Estimated: true},
	} {
		it := item("one", 1, 1)
		it.Spent = spent
		d := start(t, picker.Options{}, 100, 30, it)
		if !strings.Contains(d.screen(100), want) {
			t.Errorf("no %q in\n%s", want, d.screen(100))
		}
	}
}
