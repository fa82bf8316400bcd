package dialog_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

func press(name string) tea.KeyPressMsg {
	codes := map[string]tea.KeyPressMsg{
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
		"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete}, "enter": {Code: tea.KeyEnter},
		"esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"ctrl+w": {Code: 'w', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+k": {Code: 'k', Mod: tea.ModCtrl},
		"ctrl+left": {Code: tea.KeyLeft, Mod: tea.ModCtrl},
	}
	if p, ok := codes[name]; ok {
		return p
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func TestInputEdits(t *testing.T) {
	m := keys.Default()
	for _, c := range []struct {
		keys string
		want string
	}{
		{"a b c", "abc"},
		{"a b left x", "axb"},
		{"a b home x", "xab"},
		{"a b home delete", "b"},
		{"a b backspace", "a"},
		{"backspace delete ctrl+w", ""},
		{"日 本 left x", "日x本"},
		{"a b ctrl+u c", "c"},
		{"a b home ctrl+k", ""},
	} {
		var in dialog.Input
		for _, name := range strings.Fields(c.keys) {
			if !in.Press(press(name), m) {
				t.Errorf("%s: %s does not edit", c.keys, name)
			}
		}
		if got := in.Value(); got != c.want {
			t.Errorf("%s: typed %q, want %q", c.keys, got, c.want)
		}
	}
	in := dialog.NewInput("two words")
	in.Press(press("ctrl+w"), m)
	if got := in.Value(); got != "two " {
		t.Errorf("ctrl+w left %q, want %q", got, "two ")
	}
	if in.Press(press("enter"), m) || in.Press(press("esc"), m) {
		t.Error("enter and esc must be left to the screen")
	}
}

func TestInputTakesHarmlessText(t *testing.T) {
	var in dialog.Input
	in.Insert("a\x1b[31m\nb")
	if strings.ContainsAny(in.Value(), "\x1b\n") {
		t.Errorf("a paste became %q", in.Value())
	}
}

func TestInputViewFits(t *testing.T) {
	theme := paint.New(true, true)
	m := keys.Default()
	for _, text := range []string{"", "short", "日本語のとても長いテキストです", strings.Repeat("long ", 40)} {
		in := dialog.NewInput(text)
		for range len(text) + 1 {
			for _, width := range []int{0, 1, 4, 20, 80} {
				if got := paint.Shown(in.View(theme, width, "> ")); got > width {
					t.Fatalf("View(%d) of %q takes %d cells", width, text, got)
				}
				if width >= 4 && !strings.Contains(in.View(theme, width, "> "), "\x1b[7m") {
					t.Fatalf("View(%d) of %q shows no cursor", width, text)
				}
			}
			in.Press(press("left"), m)
		}
	}
}

func TestChoice(t *testing.T) {
	m := keys.Default()
	c := dialog.Choice{Title: "Summarize the branch?", Answers: []string{"no", "yes", "with instructions"}}
	for _, name := range []string{"down", "j", "down", "k"} { // wraps around twice
		if got := c.Press(press(name), m, 40, 20); got != dialog.Open {
			t.Fatalf("%s ended the question", name)
		}
	}
	if c.At != 2 {
		t.Errorf("selected %d, want 2", c.At)
	}
	if got := c.Press(press("2"), m, 40, 20); got != dialog.Chosen || c.At != 1 {
		t.Errorf("2 gave %v at %d", got, c.At)
	}
	if c.Press(press("esc"), m, 40, 20) != dialog.Cancelled || c.Press(press("enter"), m, 40, 20) != dialog.Chosen {
		t.Error("esc must cancel and enter must choose")
	}
	if got := len(c.Lines(paint.New(true, true), m, 40)); got != 7 {
		t.Errorf("View has %d lines, want 7", got)
	}
}

// Seed 004: y confirms, n and Esc cancel; pi confirms with Enter.
func TestYesNo(t *testing.T) {
	m := keys.Default()
	for name, want := range map[string]dialog.Outcome{
		"y": dialog.Chosen, "enter": dialog.Chosen, "n": dialog.Cancelled, "esc": dialog.Cancelled, "x": dialog.Open,
	} {
		if got := dialog.YesNo(press(name), m); got != want {
			t.Errorf("YesNo(%s) = %v, want %v", name, got, want)
		}
	}
}
