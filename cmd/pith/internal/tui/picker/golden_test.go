package picker_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
)

func TestScreens(t *testing.T) {
	atomic := item("a session that Atomic keeps", 200, 7)
	atomic.Root, atomic.Cwd = "atomic", "/srv/other project"
	wide := item("設定ファイルの読み込みを直してください、お願いします", 26, 12)
	for _, c := range []struct{ name, keys string }{
		{"threaded", ""}, {"recent", "ctrl+s"}, {"all-with-paths", "tab ctrl+p"}, {"search", "s e"},
		{"delete", "down ctrl+d"}, {"rename", "ctrl+r"}, {"nothing", "ctrl+n q q"},
	} {
		for _, width := range []int{20, 60, 80, 130} {
			name := fmt.Sprintf("%s-%d", c.name, width)
			t.Run(name, func(t *testing.T) {
				d := start(t, picker.Options{}, width, 18, append(family(), atomic, wide)...)
				d.press(c.keys)
				screentest.Keep(t, name, screentest.Plain(d.m.View(paint.New(true, false), width, 18)))
			})
		}
	}
}

// A low window has rows, the search, and a message if there is one; the selected row is
// always among the rows.
func TestLowWindows(t *testing.T) {
	for _, height := range []int{3, 4, 5, 9, 11, 12, 18} {
		d := start(t, picker.Options{}, 20, height, many(30)...)
		for range 12 {
			d.press("down")
			if screen := screentest.Plain(d.m.View(paint.New(true, false), 20, height)); !strings.Contains(screen, "›") || !strings.Contains(screen, "\n>") || strings.Count(screen, "\n") > height {
				t.Fatalf("in %d lines:\n%s", height, screen)
			}
		}
		if height == 5 { // a click selects the first row below the search
			first := screentest.Plain(d.m.View(paint.New(true, false), 20, height))
			d.m.Update(tea.MouseClickMsg{X: 3, Y: 2})
			want := "› " + strings.TrimSpace(strings.Split(first, "\n")[2])
			if screen := screentest.Plain(d.m.View(paint.New(true, false), 20, height)); !strings.Contains(screen, want) {
				t.Errorf("after a click on %q in\n%s\nthe screen is\n%s", want, first, screen)
			}
		}
		d.press("ctrl+d")
		if screen := screentest.Plain(d.m.View(paint.New(true, false), 20, height)); !strings.Contains(screen, "Delete session?") {
			t.Errorf("in %d lines nothing asks:\n%s", height, screen)
		}
	}
}

func BenchmarkKeyAmongTenThousand(b *testing.B) {
	items := many(10_000)
	for _, c := range []struct{ name, prepare, key string }{
		{"move", "", "down"}, {"sort", "", "ctrl+s"}, {"type", "p a r s", "e"},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := &desk{t: &testing.T{}, items: map[picker.Scope][]picker.Item{picker.Current: items}}
			d.open(picker.Options{}, 100, 50)
			d.press(c.prepare)
			theme := paint.New(true, true)
			b.ReportAllocs()
			for b.Loop() {
				d.m.Update(screentest.Key(c.key))
				if c.key == "e" {
					d.m.Update(screentest.Key("backspace"))
				}
				d.m.View(theme, 100, 50)
			}
		})
	}
}
