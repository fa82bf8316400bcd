package treeview_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
	"github.com/pith-sessions/pith/format"
)

const sample = `
• user: root question
  • assistant: root answer
    user: branch 0 question
      assistant: branch 0 answer
    • [start] user: branch 1 question
      • assistant: (silent)
        • [tool: ls .]
          • [model: gpt]
            user: sub-branch of 1
              assistant: sub answer
            • user: current tip question
              • assistant: current tip answer
    user: branch 2 question
      assistant: branch 2 answer
`

func TestRows(t *testing.T) {
	d := start(t, sample, 100, 40, nil)
	d.want(`
  • user: root question
  • assistant: root answer
  ├⊟ • [start] user: branch 1 question
  │     • [tool: ls .]
  │     ├⊟ • user: current tip question
› │     │     • assistant: current tip answer
  │     └⊟ user: sub-branch of 1
  │           assistant: sub answer
  ├⊟ user: branch 0 question
  │     assistant: branch 0 answer
  └⊟ user: branch 2 question
        assistant: branch 2 answer
  (6/12)
`)
}

// pitfall 145
func TestFilters(t *testing.T) {
	d := start(t, sample, 100, 40, nil)
	d.press("ctrl+u")
	d.want(`
  • user: root question
  ├⊟ • [start] user: branch 1 question
› │  ├─ • user: current tip question
  │  └─ user: sub-branch of 1
  ├─ user: branch 0 question
  └─ user: branch 2 question
  (3/6) [user]
`)
	d.press("ctrl+u ctrl+l")
	d.want(`
› • [start] user: branch 1 question
  (1/1) [labeled]
`)
	d.press("T")
	d.want(`
› • [start] 09:05 user: branch 1 question
  (1/1) [labeled] [+label time]
`)
	d.press("T ctrl+a")
	if got := d.rows(100, 40); !strings.Contains(got, "• [model: gpt]") || !strings.Contains(got, "[all]") || strings.Contains(got, "(silent)") {
		t.Errorf("all shows:\n%s", got)
	}
	for _, want := range []string{"(5/12)", "[no-tools]", "[user]", "[labeled]", "[all]"} {
		d.press("ctrl+o")
		if want != "(5/12)" && !strings.Contains(d.rows(100, 40), want) {
			t.Errorf("ctrl+o: no %s in\n%s", want, d.rows(100, 40))
		}
	}
	d.press("ctrl+d")
	if got := d.rows(100, 40); strings.Contains(got, "[all]") {
		t.Errorf("ctrl+d shows:\n%s", got)
	}
}

func TestFolding(t *testing.T) {
	d := start(t, sample, 100, 40, nil)
	d.press("ctrl+left") // to where the stretch begins
	if got := d.m.Selected().ID; got != "e10" {
		t.Errorf("ctrl+left went to %s, want e10", got)
	}
	d.press("ctrl+left ctrl+left ctrl+left") // folds it, goes up to the next one, folds that
	d.want(`
  • user: root question
  • assistant: root answer
› ├⊞ • [start] user: branch 1 question
  ├⊟ user: branch 0 question
  │     assistant: branch 0 answer
  └⊟ user: branch 2 question
        assistant: branch 2 answer
  (3/7)
`)
	d.press("ctrl+right")
	if got := d.rows(100, 40); !strings.Contains(got, "├⊞ • user: current tip question") {
		t.Errorf("the inner fold is gone:\n%s", got)
	}
	d.press("ctrl+right")
	if got := d.m.Selected().ID; got != "e10" {
		t.Errorf("ctrl+right went to %s, want e10, the first of the next split", got)
	}
	d.press("/ x backspace") // a search clears all folds
	if got := d.rows(100, 40); strings.Contains(got, "⊞") {
		t.Errorf("folds after a search:\n%s", got)
	}
}

func TestSearch(t *testing.T) {
	d := start(t, sample, 100, 40, nil)
	before := d.rows(100, 40)
	d.press("s u b") // letters are commands until / starts a search
	d.want(before)
	d.press("/ s u b")
	d.want(`
  user: sub-branch of 1
› assistant: sub answer
  (2/2)
`)
	d.press("z")
	d.want(`
  No entries found
  (0/0)
`)
	d.press("esc") // clears; what was selected last stays, as in pi
	if got := d.m.Selected().ID; got != "e09" {
		t.Errorf("selected %s after an empty search, want e09", got)
	}
	d.press("j j k k")
	if got := d.m.Selected().ID; got != "e09" {
		t.Errorf("j j k k moved to %s", got)
	}
	d.press("esc")
	if !slices.Equal(d.told, []tea.Msg{treeview.Closed{}}) {
		t.Errorf("told %v", d.told)
	}
}

// A search may start with a letter that moves the cursor.
func TestSearchStartsWithAnyLetter(t *testing.T) {
	d := start(t, sample, 100, 40, nil)
	d.press("/ j k g")
	if view := d.m.View(paint.New(true, false), 100, 40); !strings.Contains(paint.Bare(view), "Search: jkg") {
		t.Errorf("the search is not jkg:\n%s", view)
	}
	d.press("backspace backspace backspace backspace j")
	if view := d.m.View(paint.New(true, false), 100, 40); !strings.Contains(paint.Bare(view), "/ to search") {
		t.Errorf("an emptied search is still open:\n%s", view)
	}
}

func TestHomeAndEnd(t *testing.T) {
	d := start(t, sample, 100, 40, nil)
	for keys, want := range map[string]string{"home": "e00", "end": "e13", "end g": "e00", "home G": "e13"} {
		if d.press(keys); d.m.Selected().ID != want {
			t.Errorf("%s went to %s; want %s", keys, d.m.Selected().ID, want)
		}
	}
}

func TestMoving(t *testing.T) {
	d := start(t, sample, 100, 40, nil)
	d.press("pgup up") // wraps around
	if got := d.m.Selected().ID; got != "e13" {
		t.Errorf("up from the first row went to %s, want e13", got)
	}
	d.press("down")
	if got := d.m.Selected().ID; got != "e00" {
		t.Errorf("down from the last row went to %s, want e00", got)
	}
	d.press("right")
	if got := d.m.Selected().ID; got != "e13" {
		t.Errorf("right paged to %s, want e13", got)
	}
	head := strings.Count(strings.Split(d.m.View(paint.New(true, false), 100, 40), "root question")[0], "\n")
	d.run(d.m.Update(tea.MouseClickMsg{Y: head + 2, Button: tea.MouseLeft}))
	if got := d.m.Selected().ID; got != "e04" {
		t.Errorf("a click selected %s, want e04", got)
	}
}

func TestEnter(t *testing.T) {
	for _, c := range []struct {
		keys string
		want []tea.Msg
	}{
		{"enter", []tea.Msg{treeview.AlreadyThere{}}},
		{"up enter enter", []tea.Msg{treeview.Navigate{EntryID: "e10"}}},
		{"up enter down enter", []tea.Msg{treeview.Navigate{EntryID: "e10", Summarize: true}}},
		{"up enter 3 w h y enter", []tea.Msg{treeview.Navigate{EntryID: "e10", Summarize: true, Instructions: "why"}}},
		{"up enter 3 w esc up up enter", []tea.Msg{treeview.Navigate{EntryID: "e10"}}}, // Esc steps back to the answers
		{"up enter esc", nil},
		{"up alt+f", []tea.Msg{treeview.Fork{EntryID: "e10"}}},
		{"alt+f", nil}, // a response: the tree stays and says why
		{"alt+c", []tea.Msg{treeview.Clone{EntryID: "e11"}}},
		{"L n e w enter", []tea.Msg{treeview.SetLabel{EntryID: "e11", Label: "new"}}},
		{"L n e w esc", nil},
	} {
		d := start(t, sample, 100, 40, nil)
		d.press(c.keys)
		if !slices.Equal(d.told, c.want) {
			t.Errorf("%s told %v, want %v", c.keys, d.told, c.want)
		}
	}
	d := start(t, sample, 100, 40, func(o *treeview.Options) { o.SkipSummary = true })
	d.press("up enter")
	if want := []tea.Msg{treeview.Navigate{EntryID: "e10"}}; !slices.Equal(d.told, want) {
		t.Errorf("told %v, want %v without a question", d.told, want)
	}
}

func TestClearingALabel(t *testing.T) {
	d := start(t, sample, 100, 40, labeled)
	d.press("L ctrl+u enter")
	if want := []tea.Msg{treeview.SetLabel{EntryID: "e04"}}; !slices.Equal(d.told, want) {
		t.Errorf("told %v, want %v", d.told, want)
	}
}

// After something was written the tree is another; the selection stays.
func TestSetTree(t *testing.T) {
	d := start(t, sample, 100, 40, nil)
	d.press("up")
	roots, nodes, said := tree(sample + "    user: branch 3 question\n")
	d.nodes, d.said = nodes, said
	d.run(d.m.SetTree(plant(roots, nodes), "e11"))
	if got := d.rows(100, 40); !strings.Contains(got, "branch 3 question") || !strings.Contains(got, "› │     ├⊟ • user: current tip question") {
		t.Errorf("rows:\n%s", got)
	}
}

// pitfall 146: at 20 columns, where the text begins at column 14, pi 1.5.0 pans by 10.
func TestPanning(t *testing.T) {
	d := start(t, sample, 20, 30, nil)
	d.want2(20, 30, `
›   • assistant: cu
  t: root answer
`)
}

func (d *desk) want2(width, height int, parts string) {
	d.t.Helper()
	got := d.rows(width, height)
	for part := range strings.SplitSeq(strings.Trim(parts, "\n"), "\n") {
		if !strings.Contains(got, part) {
			d.t.Errorf("no %q in\n%s", part, got)
		}
	}
}

// pitfall 143: hostile and wide text, at every width.
func TestViewFits(t *testing.T) {
	text := sample + "    [\x1b[31mlabel日本] user: 日本語\x07\u202e" + strings.Repeat("長い", 100) + "\n"
	for _, width := range []int{1, 5, 20, 28, 60, 80, 130, 200} {
		for _, height := range []int{1, 8, 20, 50} {
			for _, keys := range []string{"", "ctrl+a T", "x", "L", "up enter", "up enter 3 a"} {
				d := start(t, text, width, height, nil)
				d.press(keys)
				lines := strings.Split(d.m.View(paint.New(true, true), width, height), "\n")
				if len(lines) != height {
					t.Fatalf("%dx%d after %q: %d lines", width, height, keys, len(lines))
				}
				if strings.HasSuffix(keys, "3 a") {
					continue // the editor is drawn by its own package
				}
				for _, line := range lines {
					if got := paint.Shown(line); got > width {
						t.Errorf("%dx%d after %q: %d cells: %q", width, height, keys, got, line)
					}
					if strings.ContainsAny(paint.Bare(line), "\x1b\x07\u202e") {
						t.Errorf("%dx%d after %q: %q", width, height, keys, line)
					}
				}
			}
		}
	}
}

// Only what is seen is read before the first view, however long the session is.
func TestFirstViewReadsLittle(t *testing.T) {
	d := &desk{t: t}
	roots := chain(d, 5000)
	d.open(roots, 80, 40, nil)
	if d.reads > 200 {
		t.Errorf("%d entries were read for a window of 40 lines", d.reads)
	}
}

func chain(d *desk, n int) []*pith.Node {
	for i := range n {
		node := &pith.Node{ID: fmt.Sprint(i), Pos: i, Type: format.TypeMessage, Role: format.RoleUser, OnPath: true, Depth: i}
		if i > 0 {
			d.nodes[i-1].Children = []*pith.Node{node}
		}
		d.nodes, d.said = append(d.nodes, node), append(d.said, fmt.Sprintf("user: message number %d", i))
	}
	return d.nodes[:1]
}

// bush branches at every step.
func bush(d *desk, n int) []*pith.Node {
	roots := chain(d, n)
	for i := 0; i+2 < n; i += 2 {
		d.nodes[i].Children = []*pith.Node{d.nodes[i+1], d.nodes[i+2]}
		d.nodes[i+1].Children, d.nodes[i+1].OnPath = nil, false
	}
	return roots
}

func BenchmarkFiftyThousand(b *testing.B) {
	for _, shape := range []struct {
		name string
		grow func(*desk, int) []*pith.Node
	}{{"chain", chain}, {"bush", bush}} {
		for _, k := range []string{"up", "pgup", "ctrl+u", "m"} {
			b.Run(shape.name+"/"+k, func(b *testing.B) {
				d := &desk{t: b}
				d.open(shape.grow(d, 50_000), 100, 50, nil)
				theme := paint.New(true, true)
				b.ReportAllocs()
				for b.Loop() {
					d.m.Update(screentest.Key(k))
					if k == "m" {
						d.m.Update(screentest.Key("backspace"))
					}
					d.m.View(theme, 100, 50)
				}
			})
		}
	}
}

// U19: without rows there is no preview.
func TestNothingFound(t *testing.T) {
	d := start(t, sample, 130, 40, nil)
	selected := d.said[d.m.Selected().Pos]
	d.press("/ q q q")
	view := paint.Bare(d.m.View(paint.New(true, false), 130, 40))
	if !strings.Contains(view, "No entries found") || strings.Contains(view, "│") {
		t.Errorf("the preview of %q stays:\n%s", selected, view)
	}
}

// X10: d on two entries compares them; Esc, or d on the same one, does not.
func TestCompare(t *testing.T) {
	d := start(t, sample, 100, 40, nil)
	d.press("home d")
	if view := paint.Bare(d.m.View(paint.New(true, false), 100, 40)); !strings.Contains(view, "d compares the selected entry with e00, esc cancels") {
		t.Errorf("no hint:\n%s", view)
	}
	d.press("esc d d end")
	if len(d.told) != 0 {
		t.Fatalf("told %v", d.told)
	}
	d.press("d home d")
	if want := (treeview.Compare{A: "e13", B: "e00"}); len(d.told) != 1 || d.told[0] != want {
		t.Errorf("told %v, want %v", d.told, want)
	}
}

// A response cannot be forked: the tree stays and says what can.
func TestForkOfAResponse(t *testing.T) {
	d := start(t, sample, 100, 40, nil)
	d.press("alt+f")
	view := paint.Bare(d.m.View(paint.New(true, false), 100, 40))
	if want := "a fork starts before one of your messages; alt+c clones up to here"; len(d.told) != 0 || !strings.Contains(view, want) {
		t.Errorf("told %v, and not %q:\n%s", d.told, want, view)
	}
}
