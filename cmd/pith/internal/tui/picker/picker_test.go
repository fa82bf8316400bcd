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
	lines := strings.Split(paint.Bare(d.m.View(paint.New(true, false), 80, 30)), "\n")
	if !strings.Contains(lines[6], "busy") || !strings.Contains(lines[6], "● 1 now") || strings.Contains(lines[7], "●") {
		t.Errorf("rows:\n%s\n%s", lines[6], lines[7])
	}
}

// pitfall 55: a thread is at the position of the newest of its sessions.
func TestThreadsByTheirNewest(t *testing.T) {
	old, fresh, between := item("old", 50, 1), item("fresh fork", 1, 1), item("between", 10, 1)
	fresh.ParentSession = old.Path
	d := start(t, picker.Options{}, 80, 30, fresh, between, old)
	d.wantRows("› old", "     └─ fresh fork", "  between")
}

func TestSortings(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.wantRows("› Parser bug", "  setup", "     └─ fork one", "        └─ fork of fork", "  lonely")
	d.press("ctrl+s")
	d.wantRows("› Parser bug", "  ⑂ fork of fork", "  ⑂ fork one", "  setup", "  lonely")
	d.press("ctrl+n") // named only
	d.wantRows("› Parser bug")
	d.press("ctrl+n ctrl+t") // without forks: pitfall 149
	d.wantRows("› Parser bug", "  setup", "  lonely")
}

// Two sessions that name each other as parents vanish from pi's threads.
func TestCircleOfParents(t *testing.T) {
	a, b, c := item("a", 1, 1), item("b", 2, 1), item("c", 3, 1)
	a.ParentSession, b.ParentSession, c.ParentSession = c.Path, a.Path, b.Path
	self := item("self", 5, 1)
	self.ParentSession = self.Path
	d := start(t, picker.Options{}, 80, 30, a, b, c, self)
	d.wantRows("› a", "     └─ b", "        └─ c", "  self")
}

// pitfall 144
func TestSearch(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.press("f o r k")
	d.wantRows("› ⑂ fork of fork", "  ⑂ fork one")
	d.press("ctrl+u p r b g") // loosely, in names only
	d.wantRows("› Parser bug")
	d.press("ctrl+u")
	for _, key := range strings.Split(`re:^l.n`, "") {
		d.press(key)
	}
	d.wantRows("› lonely")
	d.press("(")
	if view := paint.Bare(d.m.View(paint.New(true, false), 80, 30)); !strings.Contains(view, "invalid regular expression") {
		t.Errorf("an invalid expression is not reported:\n%s", view)
	}
	d.press(`ctrl+u " f o r k`)
	d.press("space")
	d.press(`o n e "`)
	d.wantRows("› ⑂ fork one")
}

// pitfall 144: an id is found by a part of it, not by letters that it also has.
func TestSearchOfIDs(t *testing.T) {
	one, two := item("first", 1, 1), item("second", 2, 1)
	one.ID, two.ID = "0199aaaa-7bc1", "0199bbbb-7de2"
	d := start(t, picker.Options{}, 80, 30, one, two)
	d.press("b b b - 7 d")
	d.wantRows("› second")
	d.press("ctrl+u 0 9 b d e") // all in the ID of the second, one after the other
	d.wantRows("  no matches")
}

// Typing searches immediately, whatever the letter is: j and k are letters too.
func TestEveryLetterSearches(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, append(family(), item("json joke", 40, 1))...)
	d.press("j s o n")
	d.wantRows("› json joke")
	d.press("ctrl+u / k") // the slash of other screens is ignored
	d.wantRows("› ⑂ fork of fork", "  ⑂ fork one", "  json joke")
}

// Each word may be anywhere in a session, in its name or in its text, and may
// be a part of a longer word; a phrase must occur exactly.
func TestWordsAnywhereInASession(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	list := d.items[picker.Current]
	d.bodies = map[string]string{list[0].Path: "a tokenizer eats a semicolon", list[4].Path: "the semicolons of the tokenizers"}
	d.press("o k e n i z") // a part of a word
	d.wantRows("› Parser bug · a tokenizer eats a semicolon", "  lonely · the semicolons of the tokenizers")
	d.press("space p a r s e") // in the name of one of them
	d.wantRows("› Parser bug · a tokenizer eats a semicolon")
	d.press(`ctrl+u " e a t s`)
	d.press("space")
	d.press(`a "`)
	d.wantRows("› Parser bug · a tokenizer eats a semicolon")
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
	d.wantRows("› lonely · the tokenizer eats a semicolon")
	d.press("enter")
	want := picker.Open{Path: lonely, EntryID: "e1", Query: "semicolon"}
	if len(d.told) != 1 || d.told[0] != tea.Msg(want) {
		t.Errorf("Enter told %v, want %v", d.told, want)
	}
}

// During a search the preview shows the match; the facts of the selected
// session are always there.
func TestPreviewOfWhatWasFound(t *testing.T) {
	items := family()
	items[4].Status, items[4].Model, items[4].Spent.Cost = "interrupted", "p/some-model", 1_234_000_000
	d := start(t, picker.Options{}, 130, 30, items...)
	screen := func() string { return screentest.Plain(d.m.View(paint.New(true, false), 130, 30)) }
	d.bodies = map[string]string{items[4].Path: "the tokenizer eats a semicolon"}
	if got := screen(); !strings.Contains(got, "│ last words of") {
		t.Errorf("no preview in\n%s", got)
	}
	d.press("k e n i z")
	for _, want := range []string{"│ found at e1: the tokenizer eats", "interrupted · p/some-model · $1.234 · " + strings.Replace(items[4].Path, "/home/ann", "~", 1)} {
		if got := screen(); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := d.m.View(paint.New(true, true), 130, 30); !strings.Contains(got, "m"+"keniz"+"\x1b") {
		t.Errorf("what was found is not marked in %q", got)
	}
	if got := screentest.Plain(d.m.View(paint.New(true, false), 60, 20)); !strings.Contains(got, "interrupted · p/some-model · $1.234 · …") {
		t.Errorf("a narrow window does not tell what the session is:\n%s", got)
	}
}

// pitfall 147
func TestDelete(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.press("down ctrl+d x down")
	if view := paint.Bare(d.m.View(paint.New(true, false), 80, 30)); !strings.Contains(view, "Delete session?") {
		t.Fatalf("no question:\n%s", view)
	}
	d.press("n")
	if d.deleted != nil {
		t.Fatalf("n deleted %v", d.deleted)
	}
	d.press("ctrl+d y")
	if want := d.items[picker.Current][3].Path; !slices.Equal(d.deleted, []string{want}) {
		t.Fatalf("deleted %v, want %v", d.deleted, want)
	}
	d.wantRows("  Parser bug", "› fork one", "     └─ fork of fork", "  lonely") // the place stays, children become roots
	d.press("ctrl+z")
	d.wantRows("  Parser bug", "  setup", "›    └─ fork one", "        └─ fork of fork", "  lonely")
	d.press("ctrl+backspace")
	if view := d.m.View(paint.New(true, false), 80, 30); !strings.Contains(view, "Delete session?") {
		t.Error("ctrl+backspace with an empty search must ask")
	}
	d.press("esc")
	d.fail = errDisk
	d.press("ctrl+d enter")
	if view := d.m.View(paint.New(true, false), 80, 30); !strings.Contains(view, "not deleted: disk on fire") {
		t.Errorf("a failure is not told:\n%s", view)
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
	d.press("N e w enter")
	if got := d.renamed[d.items[picker.Current][0].Path]; got != "New" {
		t.Errorf("renamed to %q, want New", got)
	}
	d.wantRows("› New", "  setup", "     └─ fork one", "        └─ fork of fork", "  lonely")
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
	d.wantRows("› here", "  there")
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
	if view := d.m.View(paint.New(true, false), 80, 30); !strings.Contains(view, "disk on fire") {
		t.Errorf("view:\n%s", view)
	}
}

func TestMouse(t *testing.T) {
	d := start(t, picker.Options{}, 80, 30, family()...)
	d.run(d.m.Update(tea.MouseClickMsg{Y: 8, Button: tea.MouseLeft}))
	if got := d.m.Selected().FirstMessage; got != "fork one" {
		t.Errorf("a click selected %q", got)
	}
	d.run(d.m.Update(tea.MouseClickMsg{Y: 8, Button: tea.MouseLeft}))
	if len(d.told) != 1 {
		t.Errorf("a click on the selected row told %v", d.told)
	}
	d.run(d.m.Update(tea.MouseClickMsg{Y: 25, Button: tea.MouseLeft}))
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
	for _, width := range []int{1, 5, 20, 28, 60, 80, 130, 200} {
		for _, height := range []int{1, 5, 12, 40} {
			d := start(t, picker.Options{}, width, height, append(family(), bad)...)
			for _, keys := range []string{"", "tab", "ctrl+p", "ctrl+d", "esc ctrl+r", "esc x"} {
				d.press(keys)
				lines := strings.Split(d.m.View(paint.New(true, true), width, height), "\n")
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
	if view := paint.Bare(d.m.View(paint.New(true, false), 80, 30)); !strings.Contains(view, "search failed: disk on fire") {
		t.Errorf("nothing tells that the search failed:\n%s", view)
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
	screen := paint.Bare(d.m.View(paint.New(true, false), 130, 20))
	if it := d.m.Selected(); it == nil || it.Path != exact.Path || !strings.Contains(screen, "found at e1: the plot thickens") {
		t.Errorf("selected %v:\n%s", it, screen)
	}
	named := item("the plot", 1, 3)
	named.Name = named.FirstMessage
	d = start(t, picker.Options{}, 130, 20, named)
	d.bodies = map[string]string{named.Path: "the plot thickens"}
	d.press("p l o t")
	if screen := paint.Bare(d.m.View(paint.New(true, false), 130, 20)); !strings.Contains(screen, "found at e1: the plot thickens") {
		t.Errorf("the preview of a session with a matching title has no match:\n%s", screen)
	}
	d = start(t, picker.Options{}, 130, 20, loose, exact)
	d.bodies = map[string]string{exact.Path: "the plot thickens"}
	d.press("down p l o t")
	if it := d.m.Selected(); it == nil {
		t.Error("nothing is selected")
	}
}

// U19: a long title leaves room for tags and for the match, and the columns on the
// right are columns.
func TestLongTitlesAndColumns(t *testing.T) {
	long := item(strings.Repeat("a long title ", 20), 30, 7)
	long.Marks.Tags = []string{"urgent"}
	short := item("short", 2, 1234)
	d := start(t, picker.Options{}, 80, 20, long, short)
	d.bodies = map[string]string{long.Path: "the plot thickens"}
	lines := strings.Split(paint.Bare(d.m.View(paint.New(true, false), 80, 20)), "\n")[6:8]
	if !strings.Contains(lines[1], "#urgent") {
		t.Errorf("no tag:\n%s", strings.Join(lines, "\n"))
	}
	if !strings.HasSuffix(lines[0], " 1234  2h") || !strings.HasSuffix(lines[1], "    7  1d") {
		t.Errorf("ragged:\n%s", strings.Join(lines, "\n"))
	}
	d.press("p l o t")
	if screen := paint.Bare(d.m.View(paint.New(true, false), 80, 20)); !strings.Contains(screen, "the plot") {
		t.Errorf("no match beside the title:\n%s", screen)
	}
	d.press("ctrl+s ctrl+s")
	if screen := paint.Bare(d.m.View(paint.New(true, false), 80, 20)); !strings.Contains(screen, "Sort: Relevance") {
		t.Errorf("the order:\n%s", screen)
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
		"-status:complete -source:claude":  {"› dear talk"},
		"talk -dear":                       {"› cheap talk"},
		"cost:>5":                          {"› dear talk"},
		"cost:<5 talk":                     {"› cheap talk"},
		"status:pending,interrupted":       {"› dear talk", "  other"},
		"status:interrupted since:7d":      {"› dear talk"},
		"model:opus":                       {"› dear talk", "  other"},
		"source:claude":                    {"› other"},
		"project:\"two words\"":            {"› other"},
		"status:odd":                       {"› cheap talk", "  dear talk", "  other"}, // with a hint
		"project:proj status:complete tal": {"› cheap talk"},
		"model:none":                       {"  no matches"},
	} {
		d := start(t, picker.Options{}, 80, 30, cheap, dear, other)
		for _, r := range typed {
			d.run(d.m.Update(tea.KeyPressMsg{Code: r, Text: string(r)}))
		}
		got := d.rows()
		for i := range got {
			got[i] = strings.TrimRight(strings.Replace(got[i], "claude", "", 1), " ")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: rows %q, want %q", typed, got, want)
		}
	}
	d := start(t, picker.Options{}, 80, 30, cheap, dear, other)
	d.press("m o d e l : o")
	if screen := paint.Bare(d.m.View(paint.New(true, false), 80, 30)); !strings.Contains(screen, "tab claude-opus\n") {
		t.Errorf("no suggestion:\n%s", screen)
	}
	d.press("tab t a l k")
	if screen := paint.Bare(d.m.View(paint.New(true, false), 80, 30)); !strings.Contains(screen, "> model:claude-opus talk") || !strings.Contains(screen, "(Current Folder)") {
		t.Errorf("not completed:\n%s", screen)
	}
	d.wantRows("› dear talk")
}
