package tui_test

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// Colors follow the terminal's background, once it is reported; with colors
// disabled there are none.
func TestTheme(t *testing.T) {
	const onDark, onLight = "\x1b[38;2;154;171;255m", "\x1b[38;2;61;81;199m" // keys
	for _, keys := range []string{"", "t", "esc", "?"} {
		d := newDesk(t)
		file := d.session("", "one", "<answer `one`")
		d.start(func(c *tui.Config) { c.Open, c.Colour = file, true })
		d.sees("answer one")
		d.press(keys)
		d.pump("the dark theme", func() bool { return strings.Contains(d.app.View().Content, onDark) })
		d.update(tea.BackgroundColorMsg{Color: color.White})
		if view := d.app.View().Content; !strings.Contains(view, onLight) || strings.Contains(view, onDark) {
			t.Errorf("after %q on a light background:\n%q", keys, view)
		}

		plain := newDesk(t)
		file = plain.session("", "one", "<answer `one`")
		plain.start(func(c *tui.Config) { c.Open = file })
		plain.sees("one")
		plain.press(keys)
		if view := plain.app.View().Content; strings.Contains(view, "\x1b[38") || strings.Contains(view, "\x1b[48") {
			t.Errorf("after %q there are colours:\n%q", keys, view)
		}
	}
}

// The title of the window says which session is shown, and nothing that a
// terminal would obey.
func TestTitle(t *testing.T) {
	d := newDesk(t)
	file := d.session("evil\x1b]0;owned\x07\u009b31m name", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	title := d.app.View().WindowTitle
	if !strings.HasPrefix(title, "pith - evil") || strings.ContainsAny(title, "\x1b\x07\u009b") {
		t.Errorf("the title is %q", title)
	}
}
