package treeview_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
)

// desk is a tree over rows in memory.
type desk struct {
	t     testing.TB
	m     *treeview.Model
	path  []treeview.Row
	ways  map[string][]treeview.Row // by their end
	found map[string]bool
	told  []treeview.Wish
	said  []string
}

func (d *desk) Rows(_ context.Context, end, _ string) <-chan treeview.Piece {
	out := make(chan treeview.Piece, 2)
	defer close(out)
	if rows, ok := d.ways[end]; ok {
		out <- treeview.Piece{Rows: rows}
		return out
	}
	half := len(d.path) / 2
	out <- treeview.Piece{Rows: d.path[half:]}
	out <- treeview.Piece{Rows: d.path[:half]}
	return out
}

func (d *desk) Find(context.Context, []string) (map[string]bool, error) { return d.found, nil }

func (d *desk) Preview(_ context.Context, r treeview.Row, with blocks.Renderer) ([]string, error) {
	return []string{with.Theme.Line(with.Width, paint.Span{Text: "in full: " + r.Text})}, nil
}

func (d *desk) Text(_ context.Context, entry string) (string, error) { return "text of " + entry, nil }

func prompt(id, text string) treeview.Row {
	return treeview.Row{Kind: blocks.Prompt, Entry: id, Last: id, Text: text, Clock: "14:02"}
}

func text(id, said string) treeview.Row {
	return treeview.Row{Kind: blocks.Text, Entry: id, Last: id, Text: said}
}

func call(id, tool, argument, result string, edit, failed bool) treeview.Row {
	return treeview.Row{Kind: blocks.Call, Entry: id, Last: id + "r", Tool: tool, Text: argument, Right: []paint.Span{{Text: result}}, Edit: edit, Failed: failed}
}

// norway is the session of the drawings.
func norway() *desk {
	cause := text("c", "Cause. The refresh goes to the old host when the region is unknown.")
	left := blocks.Way{First: "l1", End: "l3", Text: "just add a retry", Label: "dead end", Entries: 9}
	cause.Fork = &blocks.Fork{At: "c", Ways: []blocks.Way{{First: "p2", Shown: true, Current: true}, left}}
	works := text("w", "The lookup now uses the region of the account, not of the host")
	works.Label = "works"
	d := &desk{
		path: []treeview.Row{
			prompt("p1", "customers in Norway cannot log in since yesterday’s deploy"), text("t1", "I’ll look at the deploy first"),
			call("b1", "bash", "git diff v41..v42 --stat", "18 files", false, false), call("b2", "bash", "npm test -- oauth", "✗ exit 1", false, true), cause,
			prompt("p2", "no, fix the region lookup and keep the public API as it is"), call("e1", "edit", "src/oauth/session.ts", "+31 −9", true, false), works,
			prompt("p3", "good. now rename the region codes"), text("end", "Done. The codes follow ISO 3166 now."),
		},
		ways: map[string][]treeview.Row{"l3": {prompt("l1", "just add a retry"), text("l3", "Still two of twenty.")}},
	}
	return d
}

func (d *desk) start(t testing.TB, o treeview.Options, width, height int) *desk {
	d.t = t
	o.Keys, o.Current, o.Agent, o.Title = keys.Default(), "end", facts.AgentOf("pi"), []string{"mobile-app", "Norway login outage"}
	o.Renderer = blocks.Renderer{Theme: paint.New(true, paint.Monochrome), Agent: o.Agent}
	o.Send = func(w treeview.Wish) tea.Cmd { return func() tea.Msg { return w } }
	d.m = treeview.New(d, o)
	d.run(d.m.Update(tea.WindowSizeMsg{Width: width, Height: height}))
	d.run(d.m.Init())
	return d
}

func (d *desk) run(cmd tea.Cmd) {
	for todo := []tea.Cmd{cmd}; len(todo) > 0; {
		c := todo[0]
		if todo = todo[1:]; c == nil {
			continue
		}
		msg, ok := screentest.Answer(d.t, c, 250*time.Millisecond)
		if !ok {
			continue
		}
		list, several := screentest.Commands(msg)
		switch msg := msg.(type) {
		case treeview.Wish:
			d.told = append(d.told, msg)
		case transient.News:
			d.said = append(d.said, msg.Text)
		default:
			if several {
				todo = append(list, todo...)
			} else {
				todo = append(todo, d.m.Update(msg))
			}
		}
	}
}

func (d *desk) press(names string) {
	for _, name := range strings.Fields(names) {
		d.run(d.m.Update(screentest.Key(name)))
	}
}

func (d *desk) screen(width, height int) string {
	t := paint.New(true, paint.Monochrome)
	return screentest.Plain(strings.Join(t.Frame(d.m.Frame(t, width, height), width, height), "\n"))
}

func (d *desk) selected() string {
	r, _ := d.m.Selected()
	return r.Text
}

// Every state of the tree, at several widths.
func TestScreens(t *testing.T) {
	for _, c := range []struct{ name, keys string }{
		{"end", ""}, {"prompt", "[ ["}, {"prompts", "tab"}, {"failed", "tab tab tab"}, {"labeled", "shift+tab"}, {"unfolded", "B right"}, {"found", "/ x enter"},
	} {
		for _, width := range []int{20, 60, 80, 120} {
			name := fmt.Sprintf("%s-%d", c.name, width)
			t.Run(name, func(t *testing.T) {
				d := norway().start(t, treeview.Options{}, width, 24)
				d.found = map[string]bool{"b2r": true}
				d.press(c.keys)
				screentest.Keep(t, name, d.screen(width, 24))
			})
		}
	}
}

// The current entry is selected first, and N3: the selection stays while rows are hidden.
func TestSelectionStays(t *testing.T) {
	d := norway().start(t, treeview.Options{}, 80, 24)
	if got := d.selected(); !strings.HasPrefix(got, "Done.") {
		t.Fatalf("%q is selected", got)
	}
	d.press("[ [ down") // the edit
	d.press("tab")      // prompts only: the one above it
	if got := d.selected(); !strings.HasPrefix(got, "no, fix") {
		t.Errorf("with prompts only, %q is selected", got)
	}
	d = norway().start(t, treeview.Options{Select: "b1r"}, 80, 24)
	if got := d.selected(); !strings.HasPrefix(got, "git diff") {
		t.Errorf("the result of a call selects %q", got)
	}
}

// Branch points are shown whatever the filter is (N4).
func TestBranchesInEveryFilter(t *testing.T) {
	d := norway().start(t, treeview.Options{}, 80, 24)
	for range 5 {
		if got := d.screen(80, 24); !strings.Contains(got, "╰ ▸ just add a retry") {
			t.Errorf("no branch in\n%s", got)
		}
		d.press("tab")
	}
	d.press("g b")
	if got := d.selected(); got != "just add a retry" {
		t.Errorf("b selects %q", got)
	}
	d.press("enter")
	if len(d.told) != 1 || d.told[0].Action != keys.SelectConfirm || d.told[0].Row.Way == nil || d.told[0].Row.Last != "l3" {
		t.Errorf("told %+v", d.told)
	}
	d.press("right j j")
	if got := d.selected(); got != "Still two of twenty." {
		t.Errorf("in the unfolded branch %q is selected", got)
	}
	d.press("left")
	if got := d.screen(80, 24); strings.Contains(got, "Still two") || d.selected() != "just add a retry" {
		t.Errorf("not folded:\n%s", got)
	}
	d.press("G b")
	if !slices.Contains(d.said, "no more branches") {
		t.Errorf("said %q", d.said)
	}
}

// A search goes to matches, Esc ends it, and then leaves.
func TestSearch(t *testing.T) {
	d := norway().start(t, treeview.Options{}, 80, 24)
	d.found = map[string]bool{"b1": true, "b2r": true, "l1": true}
	d.press("g / o a u t h")
	if !d.m.Typing() {
		t.Error("nothing is typed")
	}
	d.press("enter")
	if got := d.selected(); !strings.HasPrefix(got, "git diff") {
		t.Errorf("found %q", got)
	}
	d.press("n")
	if got := d.selected(); !strings.HasPrefix(got, "npm test") {
		t.Errorf("next is %q", got)
	}
	d.press("n")
	if got := d.selected(); got != "just add a retry" {
		t.Errorf("in a branch that was left: %q", got)
	}
	d.press("N N esc")
	if got := d.selected(); len(d.told) != 0 || !strings.HasPrefix(got, "git diff") {
		t.Errorf("told %v, selected %q", d.told, got)
	}
	d.press("esc")
	if len(d.told) != 1 || d.told[0].Action != keys.SelectCancel {
		t.Errorf("told %v", d.told)
	}
	d.found = nil
	d.press("/ q enter")
}

// Enter is first, there are at most six hints, the last is help, and every key that is
// shown does something or is the app's.
func TestHintsWork(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		d := norway().start(t, treeview.Options{Select: "p1"}, width, 24)
		lines := strings.Split(strings.TrimRight(d.screen(width, 24), "\n"), "\n")
		hints := strings.Split(strings.TrimSpace(lines[len(lines)-1]), " · ")
		if len(hints) > 6 || hints[0] != "enter go back to here" || !strings.HasPrefix(hints[len(hints)-1], "?") {
			t.Errorf("%d columns: %q", width, hints)
		}
		for _, hint := range hints {
			key, _, _ := strings.Cut(hint, " ")
			d := norway().start(t, treeview.Options{Select: "p1"}, width, 24)
			before := d.screen(width, 24)
			if d.press(key); !slices.Contains([]string{"v", "space", "?"}, key) && d.screen(width, 24) == before && len(d.told) == 0 {
				t.Errorf("%s does nothing", hint)
			}
		}
	}
}

// The mouse selects a row, and a second click chooses it.
func TestMouse(t *testing.T) {
	d := norway().start(t, treeview.Options{}, 80, 24)
	d.run(d.m.Update(tea.MouseClickMsg{Y: 2, Button: tea.MouseLeft}))
	if got := d.selected(); !strings.HasPrefix(got, "customers") {
		t.Errorf("a click selected %q", got)
	}
	d.run(d.m.Update(tea.MouseClickMsg{Y: 2, Button: tea.MouseLeft}))
	if len(d.told) != 1 {
		t.Errorf("told %v", d.told)
	}
	d.run(d.m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown}))
	if got := d.selected(); !strings.HasPrefix(got, "npm test") {
		t.Errorf("the wheel selected %q", got)
	}
}

// N2: a key costs little in a session of many entries, and a frame what is shown.
func TestLargeTree(t *testing.T) {
	d := &desk{}
	for i := range 50_000 {
		d.path = append(d.path, prompt(fmt.Sprint("p", i), fmt.Sprintf("question %d", i)))
	}
	d.start(t, treeview.Options{}, 100, 40)
	theme := paint.New(true, paint.Full)
	frame := testing.AllocsPerRun(5, func() { theme.Frame(d.m.Frame(theme, 100, 40), 100, 40) })
	if frame > 5000 {
		t.Errorf("a frame of 50,000 rows allocates %v times", frame)
	}
}

// pitfall 143: hostile and wide text, at every width.
func TestViewFits(t *testing.T) {
	d := norway()
	d.path[0].Text, d.path[2].Tool, d.path[2].Label = "日本語\x1b[31m\x07\u202e"+strings.Repeat("日本 ", 60), "\x1b]0;x\x07", strings.Repeat("label ", 50)
	for _, width := range []int{20, 28, 60, 80, 130, 200} {
		d.start(t, treeview.Options{}, width, 20)
		for _, keys := range []string{"", "g", "B right", "tab", "/ x"} {
			d.press(keys)
			theme := paint.New(true, paint.Full)
			for _, line := range theme.Frame(d.m.Frame(theme, width, 20), width, 20) {
				if got := paint.Shown(line); got > width {
					t.Errorf("%d after %q: %d cells: %q", width, keys, got, line)
				}
				if strings.ContainsAny(paint.Bare(line), "\x1b\x07\u202e") {
					t.Errorf("%d after %q: %q", width, keys, line)
				}
			}
		}
		d.press("esc esc")
	}
}
