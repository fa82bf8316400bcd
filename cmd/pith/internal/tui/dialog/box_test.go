package dialog_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
)

func press(b interface {
	Press(tea.KeyPressMsg) (tea.Cmd, bool)
}, names string) (open bool) {
	open = true
	for name := range strings.FieldsSeq(names) {
		_, open = b.Press(screentest.Key(name))
	}
	return open
}

func menu(did *string) *dialog.Box {
	do := func(what string) func() tea.Cmd { return func() tea.Cmd { *did = what; return nil } }
	return &dialog.Box{Keys: keys.Default(), Title: "Session", Left: do("left"), Rows: []dialog.Row{
		{Text: "Open", Keys: []string{"enter"}, Do: do("open")}, {Text: "Tree", Keys: []string{"t"}, Do: do("tree")},
		{Text: "Compact", Keys: []string{"c"}, Why: "Claude Code compacts its own sessions", Do: do("compact")}, {Text: "Delete", Keys: []string{"d", "ctrl+d"}, Do: do("delete")},
	}}
}

// Letters act, Enter does what is selected, / filters, Esc leaves.
func TestMenu(t *testing.T) {
	for keys, want := range map[string]string{
		"t": "tree", "enter": "open", "down enter": "tree", "j j j enter": "delete", "ctrl+d": "delete", "/ d e l enter": "delete", "/ t esc t": "tree", "esc": "left", "ctrl+c": "left",
	} {
		did := ""
		if press(menu(&did), keys) || did != want {
			t.Errorf("%s did %q, want %q, and the menu to close", keys, did, want)
		}
	}
	did := ""
	b := menu(&did)
	if !press(b, "c") || did != "" {
		t.Errorf("what is not available did %q", did)
	}
	theme := paint.New(true, paint.Monochrome)
	if got := strings.Join(b.Over(theme, make([]string, 24), 80, 24), "\n"); !strings.Contains(got, "Claude Code compacts its own sessions") {
		t.Errorf("it does not say why:\n%s", got)
	}
}

// A line is typed: letters are no keys then.
func TestTyping(t *testing.T) {
	typed := ""
	line := input.New(keys.Default(), "old")
	b := &dialog.Box{Keys: keys.Default(), Title: "Rename", Type: &line, Typed: func(text string) tea.Cmd { typed = text; return nil }}
	if press(b, "ctrl+u j q ? / enter") || typed != "jq?/" {
		t.Errorf("typed %q", typed)
	}
}

// A box fits into every window and shows the selected row.
func TestBoxFits(t *testing.T) {
	for _, depth := range []paint.Depth{paint.Monochrome, paint.Full} {
		theme := paint.New(true, depth)
		for _, size := range [][2]int{{20, 5}, {20, 10}, {40, 7}, {80, 24}, {200, 60}} {
			for _, wide := range []bool{false, true} {
				did := ""
				b := menu(&did)
				b.Wide, b.About = wide, []string{strings.Repeat("about it ", 30), "日本語\x1b[31m"}
				b.Below = [][2][]paint.Span{{{{Text: strings.Repeat("file ", 40)}}, {{Text: "+1"}}}}
				for range 4 {
					base := make([]string, size[1])
					lines := b.Over(theme, base, size[0], size[1])
					if len(lines) != size[1] || !strings.Contains(strings.Join(lines, "\n"), "›") {
						t.Fatalf("%v: %d lines\n%s", size, len(lines), strings.Join(lines, "\n"))
					}
					for _, line := range lines {
						if paint.Shown(line) > size[0] {
							t.Errorf("%v: %d cells: %q", size, paint.Shown(line), line)
						}
					}
					press(b, "down")
				}
			}
		}
	}
}

// The sheet of keys is searched, and scrolls.
func TestSheet(t *testing.T) {
	s := &dialog.Sheet{Keys: keys.Default(), Title: "Keys", Left: []dialog.Fact{{Name: "Everywhere"}}, Second: []dialog.Fact{{Name: "o", About: "open in its agent"}}}
	for i := range 40 {
		s.Left = append(s.Left, dialog.Fact{Name: string(rune('A' + i)), About: "does something"})
	}
	theme := paint.New(true, paint.Monochrome)
	screen := func() string { return strings.Join(s.Over(theme, nil, 80, 24), "\n") }
	if got := screen(); !strings.Contains(got, "Everywhere") || !strings.Contains(got, "open in its agent") {
		t.Errorf("two columns:\n%s", got)
	}
	press(s, "j j")
	if got := screen(); strings.Contains(got, "Everywhere") {
		t.Errorf("not scrolled:\n%s", got)
	}
	press(s, "/ a g e n t")
	if got := screen(); strings.Contains(got, "does something") || !strings.Contains(got, "open in its agent") {
		t.Errorf("not searched:\n%s", got)
	}
	if !press(s, "esc") || press(s, "esc") {
		t.Error("Esc ends the search, and then the sheet")
	}
}
