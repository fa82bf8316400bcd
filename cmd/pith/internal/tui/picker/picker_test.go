package picker_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
)

func family() []picker.Item {
	parent, fork, grandchild, other := item("setup", 24, 2), item("fork one", 23, 2), item("fork of fork", 19, 2), item("other", 2, 32)
	other.Name = "Parser bug"
	fork.ParentSession, grandchild.ParentSession = parent.Path, fork.Path
	return []picker.Item{other, grandchild, fork, parent, item("lonely", 30, 1)}
}

// pitfall 60: a session that is being written is listed, and marked.
func TestActiveSession(t *testing.T) {
	busy, quiet := item("busy", 0, 1), item("quiet", 1, 1)
	busy.FileTime, quiet.FileTime = noon.Add(-2*time.Second), noon.Add(-time.Hour)
	d := start(t, picker.Options{}, 80, 30, busy, quiet)
	d.wantRows("› busy  ● live", "  quiet")
}

// pitfall 55: a thread is at the position of the newest of its sessions.
func TestThreadsByTheirNewest(t *testing.T) {
	old, fresh, between := item("old", 50, 1), item("fresh fork", 1, 1), item("between", 10, 1)
	fresh.ParentSession = old.Path
	d := start(t, picker.Options{}, 80, 30, fresh, between, old)
	d.press("ctrl+s")
	d.wantRows("› old", "  ↳ fresh fork", "  between")
}

func TestSortings(t *testing.T) {
	items := family()
	items[3].Spent.Cost, items[4].Size = 5_000_000_000, 1<<20
	d := start(t, picker.Options{}, 80, 30, items...)
	d.wantRows("› Parser bug", "  ↳ fork of fork", "  ↳ fork one", "  setup", "  lonely")
	d.press("ctrl+s") // threads
	d.wantRows("› Parser bug", "  setup", "  ↳ fork one", "  ↳ fork of fork", "  lonely")
	d.press("down down left") // folds the forks of the fork
	d.wantRows("  Parser bug", "  setup", "› ↳ fork one  +1 forks", "  lonely")
	d.press("left left")
	d.wantRows("  Parser bug", "› setup  +2 forks", "  lonely")
	d.press("right")
	if got := d.rows(); len(got) != 4 {
		t.Errorf("unfolded: %q", got)
	}
	d.press("ctrl+s") // cost
	d.wantRows("  setup", "› Parser bug", "  ↳ fork one  +1 forks", "  lonely")
	d.press("ctrl+s g")
	d.wantRows("› lonely", "  Parser bug", "  ↳ fork one  +1 forks", "  setup")
	d.press("ctrl+s ctrl+n") // newest, named only
	d.wantRows("› Parser bug")
	d.press("ctrl+n")
	if got := d.rows(); len(got) != 4 {
		t.Errorf("all again: %q", got)
	}
}

// Two sessions that name each other as parents vanish from pi's threads.
func TestCircleOfParents(t *testing.T) {
	a, b, c := item("a", 1, 1), item("b", 2, 1), item("c", 3, 1)
	a.ParentSession, b.ParentSession, c.ParentSession = c.Path, a.Path, b.Path
	self := item("self", 5, 1)
	self.ParentSession = self.Path
	d := start(t, picker.Options{}, 80, 30, a, b, c, self)
	d.press("ctrl+s")
	d.wantRows("› ↳ a", "  ↳ b", "  ↳ c", "  ↳ self")
}

// pitfall 144
func TestSearch(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.press("f o r k")
	d.wantRows("› ↳ fork of fork", "  ↳ fork one")
	d.press("ctrl+u p r b g") // loosely, in names only
	d.wantRows("› Parser bug")
	d.press("ctrl+u")
	for _, key := range strings.Split(`re:^l.n`, "") {
		d.press(key)
	}
	d.wantRows("› lonely")
	d.press("(")
	if view := d.screen(80); !strings.Contains(view, "invalid regular expression") {
		t.Errorf("an invalid expression is not reported:\n%s", view)
	}
	d.press(`ctrl+u " f o r k`)
	d.press("space")
	d.press(`o n e "`)
	d.wantRows("› ↳ fork one")
}

// pitfall 144: an id is found by a part of it, not by letters that it also has.
func TestSearchOfIDs(t *testing.T) {
	one, two := item("first", 1, 1), item("second", 2, 1)
	one.ID, two.ID = "0199aaaa-7bc1", "0199bbbb-7de2"
	d := start(t, picker.Options{}, 80, 30, one, two)
	d.press("b b b - 7 d")
	d.wantRows("› second")
	d.press("ctrl+u 0 9 b d e") // all in the ID of the second, one after the other
	d.wantRows()
}

// Typing searches immediately, whatever the letter is: j and k are letters too.
func TestEveryLetterSearches(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, append(family(), item("json joke", 40, 1))...)
	d.press("j s o n")
	d.wantRows("› json joke")
	d.press("ctrl+u / k") // the slash of other screens is ignored
	d.wantRows("› ↳ fork of fork", "  ↳ fork one", "  json joke")
}

// Each word may be anywhere in a session, in its name or in its text, and may
// be a part of a longer word; a phrase must occur exactly.
func TestWordsAnywhereInASession(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	list := d.items[picker.Current]
	d.bodies = map[string]string{list[0].Path: "a tokenizer eats a semicolon", list[4].Path: "the semicolons of the tokenizers"}
	d.press("o k e n i z") // a part of a word
	d.wantRows("› Parser bug", "you a tokenizer eats a semicolon", "  lonely", "you the semicolons of the tokenizers")
	d.press("space p a r s e") // in the name of one of them
	d.wantRows("› Parser bug", "you a tokenizer eats a semicolon")
	d.press(`ctrl+u " e a t s`)
	d.press("space")
	d.press(`a "`)
	d.wantRows("› Parser bug", "you a tokenizer eats a semicolon")
}

// Sessions without a match are not searched again while the search becomes
// narrower.
func TestANarrowerSearchLooksIntoLess(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	lonely := d.items[picker.Current][4].Path
	d.bodies = map[string]string{lonely: "the tokenizer eats a semicolon"}
	d.press("s e m i")
	d.looked = nil
	d.press("c")
	if !slices.Equal(d.looked, []string{lonely}) {
		t.Errorf("a narrower search looked into %q, want %q", d.looked, lonely)
	}
	d.press("backspace backspace")
	if len(d.looked) < len(family()) {
		t.Errorf("a wider search looked into %q alone", d.looked)
	}
}

func TestBodiesAreSearchedToo(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	lonely := d.items[picker.Current][4].Path
	d.bodies = map[string]string{lonely: "the tokenizer eats a semicolon"}
	for _, key := range []string{"s", "e", "m", "i", "c", "o", "l", "o", "n"} {
		d.press(key)
	}
	d.wantRows("› lonely", "you the tokenizer eats a semicolon")
	d.press("enter")
	if got, ok := d.told[0].(picker.Open); !ok || got.Item.Path != lonely || got.EntryID != "e1" || got.Query != "semicolon" {
		t.Errorf("Enter told %v", d.told)
	}
}

// During a search the preview shows the match; the facts of the selected
// session are always there.
func TestPreviewOfWhatWasFound(t *testing.T) {
	items := family()
	items[4].Status, items[4].Model, items[4].Spent.Cost = "interrupted", "p/some-model", 1_234_000_000
	d := start(t, picker.Options{}, 130, 30, items...)
	d.bodies = map[string]string{items[4].Path: "the tokenizer eats a semicolon"}
	if got := d.screen(130); !strings.Contains(got, "│ last words of") {
		t.Errorf("no preview in\n%s", got)
	}
	d.press("k e n i z")
	for _, want := range []string{"│ found at e1: the tokenizer eats", "interrupted · some-model", "  $1.23 "} {
		if got := d.screen(130); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	theme := paint.New(true, paint.Full)
	if got := strings.Join(theme.Frame(d.m.Frame(theme, 130, 30), 130, 30), "\n"); !strings.Contains(got, "m"+"keniz"+"\x1b") {
		t.Errorf("what was found is not marked in %q", got)
	}
}

// pitfall 147
func TestDelete(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.press("down ctrl+d x down")
	if view := d.screen(80); !strings.Contains(view, "Delete “") {
		t.Fatalf("no question:\n%s", view)
	}
	d.press("n")
	if d.deleted != nil {
		t.Fatalf("n deleted %v", d.deleted)
	}
	d.press("ctrl+d y")
	if want := d.items[picker.Current][1].Path; !slices.Equal(d.deleted, []string{want}) {
		t.Fatalf("deleted %v, want %v", d.deleted, want)
	}
	d.wantRows("  Parser bug", "› ↳ fork one", "  setup", "  lonely") // the place stays
	d.press("ctrl+z")
	d.wantRows("  Parser bug", "  ↳ fork of fork", "› ↳ fork one", "  setup", "  lonely")
	d.press("ctrl+backspace")
	if view := d.screen(80); !strings.Contains(view, "Delete “") {
		t.Error("ctrl+backspace with an empty search must ask")
	}
	d.press("esc")
	d.fail = errDisk
	d.press("ctrl+d enter")
	if !slices.Contains(d.said, "not deleted: disk on fire") {
		t.Errorf("a failure is not told: %q", d.said)
	}
}

// pitfall 147: while a session is on its way to the trash, keys are answered.
func TestDeletingDoesNotHoldTheScreen(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.press("ctrl+d")
	removal := d.m.Update(screentest.Key("y"))
	if d.deleted != nil || removal == nil {
		t.Fatalf("y itself deleted %v; want a command that does", d.deleted)
	}
	d.press("down down")
	selected := d.m.Selected().Path
	d.run(removal)
	if len(d.deleted) != 1 || d.m.Selected().Path != selected {
		t.Errorf("deleted %v, selected %s; want one session, and the selection where it was moved meanwhile: %s", d.deleted, d.m.Selected().Path, selected)
	}
}

// pitfall 147: also when another path leads to the session that is open.
func TestTheOpenSessionIsProtected(t *testing.T) {
	link := item("link", 1, 1)
	link.Key = "/real/file.jsonl"
	d := start(t, picker.Options{OpenKey: "/real/file.jsonl"}, 80, 30, link)
	d.press("ctrl+d y")
	if d.deleted != nil {
		t.Errorf("deleted %v, which is open", d.deleted)
	}
}

func TestRename(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.press("ctrl+r ctrl+u enter")
	if d.renamed != nil {
		t.Errorf("a blank name was given: %v", d.renamed)
	}
	d.press("ctrl+r ctrl+u N e w enter")
	if got := d.renamed[d.items[picker.Current][0].Path]; got != "New" {
		t.Errorf("renamed to %q, want New", got)
	}
	d.wantRows("› New", "  ↳ fork of fork", "  ↳ fork one", "  setup", "  lonely")
	d.press("ctrl+r X esc")
	if got := d.rows()[0]; got != "› New" {
		t.Errorf("Esc changed the name to %q", got)
	}
}

func TestScopes(t *testing.T) {
	d := &desk{t: t, items: map[picker.Scope][]picker.Item{
		picker.Current: {item("here", 1, 1)}, picker.All: {item("here", 1, 1), item("there", 2, 1)},
	}}
	d.open(picker.Options{}, 80, 30)
	d.wantRows("› here")
	d.press("tab")
	if got := d.rows(); len(got) != 2 {
		t.Errorf("all projects: %q", got)
	}
	d.press("down tab")
	d.wantRows("› here")
	d.press("esc")
	if len(d.told) != 1 || d.told[0] != tea.Msg(picker.Closed{}) {
		t.Errorf("Esc told %v", d.told)
	}
}

func TestAFailedLoadIsTold(t *testing.T) {
	d := &desk{t: t, fail: errDisk}
	d.open(picker.Options{}, 80, 30)
	if !slices.Contains(d.said, "cannot load sessions: disk on fire") {
		t.Errorf("said %q", d.said)
	}
}

func TestMouse(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.run(d.m.Update(tea.MouseClickMsg{Y: 6, Button: tea.MouseLeft}))
	if got := d.m.Selected().FirstMessage; got != "fork one" {
		t.Errorf("a click selected %q", got)
	}
	d.run(d.m.Update(tea.MouseClickMsg{Y: 6, Button: tea.MouseLeft}))
	if len(d.told) != 1 {
		t.Errorf("a click on the selected row told %v", d.told)
	}
	d.run(d.m.Update(tea.MouseClickMsg{Y: 27, Button: tea.MouseLeft}))
	d.run(d.m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown}))
	if got := d.m.Selected().FirstMessage; got != "lonely" {
		t.Errorf("the wheel selected %q", got)
	}
}

// pitfall 143: hostile and wide text, at every width.
func TestViewFits(t *testing.T) {
	bad := item("日本語\x1b[31m\x07\u202e", 1, 1)
	bad.Name = strings.Repeat("日本 ", 60)
	bad.Cwd, bad.Root = "/home/ann/\x1b]0;x\x07", "atomic"
	for _, width := range []int{20, 28, 60, 80, 130, 200} {
		for _, height := range []int{5, 12, 40} {
			d := start(t, picker.Options{}, width, height, append(family(), bad)...)
			for _, keys := range []string{"", "tab", "down", "ctrl+d", "esc", "x"} {
				d.press(keys)
				theme := paint.New(true, paint.Full)
				lines := theme.Frame(d.m.Frame(theme, width, height), width, height)
				if len(lines) != height {
					t.Fatalf("%dx%d after %q: %d lines", width, height, keys, len(lines))
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

func TestFailedSearch(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, item("a", 1, 1))
	d.fail = errDisk
	d.press("x y")
	if !slices.Contains(d.said, "search failed: disk on fire") {
		t.Errorf("nothing tells that the search failed: %q", d.said)
	}
}

// U18: a match in the text comes before a loose one in a title, is selected when
// it is found, and is what the preview shows.
func TestTextMatchBeforeLooseTitle(t *testing.T) {
	loose, exact := item("plan the old tasks", 1, 3), item("something else", 2, 3)
	loose.Name, exact.Name = loose.FirstMessage, exact.FirstMessage // names match loosely
	d := start(t, picker.Options{}, 130, 20, loose, exact)
	d.bodies = map[string]string{exact.Path: "the plot thickens"}
	d.press("p l o t")
	screen := d.screen(130)
	if it := d.m.Selected(); it == nil || it.Path != exact.Path || !strings.Contains(screen, "found at e1: the plot thickens") {
		t.Errorf("selected %v:\n%s", it, screen)
	}
	named := item("the plot", 1, 3)
	named.Name = named.FirstMessage
	d = start(t, picker.Options{}, 130, 20, named)
	d.bodies = map[string]string{named.Path: "the plot thickens"}
	d.press("p l o t")
	if screen := d.screen(130); !strings.Contains(screen, "found at e1: the plot thickens") {
		t.Errorf("the preview of a session with a matching title has no match:\n%s", screen)
	}
	d = start(t, picker.Options{}, 130, 20, loose, exact)
	d.bodies = map[string]string{exact.Path: "the plot thickens"}
	d.press("down p l o t")
	if it := d.m.Selected(); it == nil {
		t.Error("nothing is selected")
	}
}

// U19: a long title leaves room for tags, and the columns on the right are columns.
func TestLongTitlesAndColumns(t *testing.T) {
	long := item(strings.Repeat("a long title ", 20), 30, 7)
	long.Marks.Tags = []string{"urgent"}
	short := item("short", 2, 1234)
	d := start(t, picker.Options{}, 80, 20, long, short)
	if got := d.rows(); len(got) != 2 || !strings.HasSuffix(got[1], "…  #urgent") {
		t.Errorf("rows: %q", got)
	}
	for _, line := range d.lines(80, 20)[2:6] {
		if strings.Contains(line, "π") && paint.Shown(line) != 80 {
			t.Errorf("ragged: %q", line)
		}
	}
}

// X3: filters restrict the list, alone and with words, and Tab completes them.
func TestFiltersInTheSearch(t *testing.T) {
	cheap, dear, other := item("cheap talk", 1, 3), item("dear talk", 2, 3), item("other", 300, 3)
	cheap.Status, dear.Status, other.Status = catalog.StatusComplete, catalog.StatusInterrupted, catalog.StatusInterrupted
	cheap.Spent.Cost, dear.Spent.Cost = 100_000_000, 7_000_000_000
	cheap.Model, dear.Model, other.Model = "openai/gpt-6", "anthropic/claude-opus", "anthropic/claude-opus"
	other.Cwd, other.Root = "/srv/two words", "claude"
	for typed, want := range map[string][]string{
		"-status:complete -source:claude":  {"› dear talk  ‖ interrupted"},
		"talk -dear":                       {"› cheap talk"},
		"cost:>5":                          {"› dear talk  ‖ interrupted"},
		"cost:<5 talk":                     {"› cheap talk"},
		"status:pending,interrupted":       {"› dear talk  ‖ interrupted", "  other  ‖ interrupted"},
		"status:interrupted since:7d":      {"› dear talk  ‖ interrupted"},
		"model:opus":                       {"› dear talk  ‖ interrupted", "  other  ‖ interrupted"},
		"source:claude":                    {"› other  ‖ interrupted"},
		"project:\"two words\"":            {"› other  ‖ interrupted"},
		"status:odd":                       {"› cheap talk", "  dear talk  ‖ interrupted", "  other  ‖ interrupted"}, // with a hint
		"project:proj status:complete tal": {"› cheap talk"},
		"model:none":                       nil,
	} {
		d := start(t, picker.Options{}, 80, 30, cheap, dear, other)
		for _, r := range typed {
			d.run(d.m.Update(tea.KeyPressMsg{Code: r, Text: string(r)}))
		}
		got := d.rows()
		if !slices.Equal(got, want) {
			t.Errorf("%s: rows %q, want %q", typed, got, want)
		}
	}
	d := start(t, picker.Options{}, 80, 30, cheap, dear, other)
	d.press("m o d e l : o")
	if screen := d.screen(80); !strings.Contains(screen, "tab claude-opus") {
		t.Errorf("no suggestion:\n%s", screen)
	}
	d.press("tab t a l k")
	if screen := d.screen(80); !strings.Contains(screen, "> model:claude-opus talk") || !strings.Contains(screen, "Sessions · proj") {
		t.Errorf("not completed:\n%s", screen)
	}
	d.wantRows("› dear talk  ‖ interrupted")
}
