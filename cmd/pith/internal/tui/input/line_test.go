package input_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
)

func TestEditing(t *testing.T) {
	for press, want := range map[string]string{
		"a b c": "abc", "a b left x": "axb", "a b home x": "xab", "a b home ctrl+d": "b", "a b backspace": "a", "backspace ctrl+d ctrl+w": "",
		"日 本 left x": "日x本", "a b ctrl+u c": "c", "a b home ctrl+k": "", "a space b ctrl+w": "a ", "j k g G ? /": "jkgG?/",
	} {
		l := input.New(keys.Default(), "")
		for name := range strings.FieldsSeq(press) {
			l.Press(screentest.Key(name))
		}
		if got := l.Value(); got != want {
			t.Errorf("%s: typed %q, want %q", press, got, want)
		}
	}
	l := input.New(keys.Default(), "")
	l.Insert("a\x1b[31m\nb")
	if strings.ContainsAny(l.Value(), "\x1b\n") {
		t.Errorf("a paste became %q", l.Value())
	}
}

func TestViewFits(t *testing.T) {
	theme := paint.New(true, paint.Full)
	for _, text := range []string{"", "short", "日本語のとても長いテキストです", strings.Repeat("long ", 40)} {
		l := input.New(keys.Default(), text)
		for range len(text) + 1 {
			for _, width := range []int{1, 4, 20, 80} {
				if got := paint.Shown(l.View(theme, width, "> ", true)); got > width {
					t.Fatalf("View(%d) of %q takes %d cells", width, text, got)
				}
			}
			l.Press(screentest.Key("left"))
		}
	}
}
