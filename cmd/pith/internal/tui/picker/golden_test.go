package picker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/format"
)

func TestScreens(t *testing.T) {
	atomic := item("a session that Atomic keeps", 200, 7)
	atomic.Root, atomic.Cwd = "atomic", "/srv/other project"
	wide := item("設定ファイルの読み込みを直してください、お願いします", 26, 12)
	failed, waits := item("Memory leak, pod killed about once a day", 30, 12), item("Make the build faster", 50, 3)
	failed.Status, waits.Status, failed.Root = catalog.StatusError, catalog.StatusPending, "claude"
	failed.Spent, waits.Spent = format.Spent{Cost: 3_410_000_000, Estimated: true}, format.Spent{Unpriced: 2}
	for _, c := range []struct{ name, keys string }{
		{"start", ""}, {"threads", "ctrl+s"}, {"all", "tab down"}, {"search", "s e"}, {"delete", "down ctrl+d"}, {"nothing", "q q q q"},
	} {
		for _, width := range []int{20, 60, 80, 120} {
			name := fmt.Sprintf("%s-%d", c.name, width)
			t.Run(name, func(t *testing.T) {
				d := start(t, picker.Options{}, width, 24, append(family(), atomic, wide, failed, waits)...)
				d.bodies = map[string]string{atomic.Path: "the response says that it was seen"}
				d.press(c.keys)
				screentest.Keep(t, name, screentest.Plain(strings.Join(d.lines(width, 24), "\n")))
			})
		}
	}
}

// A low window has rows and the search; the selected row is always among the rows.
func TestLowWindows(t *testing.T) {
	for _, height := range []int{5, 7, 9, 11, 12, 18} {
		d := start(t, picker.Options{}, 20, height, many(30)...)
		for range 12 {
			d.press("down")
			if lines := d.lines(20, height); !strings.Contains(strings.Join(lines, "\n"), "›") || !strings.Contains(strings.Join(lines, "\n"), " >") || len(lines) != height {
				t.Fatalf("in %d lines:\n%s", height, strings.Join(lines, "\n"))
			}
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
			theme := paint.New(true, paint.Full)
			b.ReportAllocs()
			for b.Loop() {
				d.m.Update(screentest.Key(c.key))
				if c.key == "e" {
					d.m.Update(screentest.Key("backspace"))
				}
				theme.Frame(d.m.Frame(theme, 100, 50), 100, 50)
			}
		})
	}
}
