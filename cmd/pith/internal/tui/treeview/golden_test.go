package treeview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
)

const forest = `
• user: why do tests fail on Tuesdays? 設定ファイルの読み込み
  • [model: claude]
    • assistant: (silent)
      • [tool: npm test]
        • [cause] assistant: Time zones, and here is a long explanation of what they do to tests
          • user: mend it
            • assistant: Done
              • user: thanks
              user: no, wait
                assistant: Waiting
          [dead end] user: put a mutex around it
            assistant: Still fails
              user: and now?
                assistant: As before
                assistant: Somewhat better
user: another root
  assistant: Indeed
`

// Every state of the tree, at several widths.
func TestScreens(t *testing.T) {
	for _, c := range []struct{ name, keys string }{
		{"default", ""}, {"no-tools", "ctrl+t"}, {"user", "ctrl+u"}, {"labeled", "ctrl+l"}, {"all", "ctrl+a"}, {"label-times", "T"},
		{"search", "m u t"}, {"nothing", "q q q"}, {"folded", "ctrl+left ctrl+left"}, {"label", "L"}, {"question", "up enter"},
		{"instructions", "up enter down down enter"}, {"deep", "up up up"},
	} {
		for _, width := range []int{20, 28, 60, 80, 130, 200} {
			name := fmt.Sprintf("%s-%d", c.name, width)
			t.Run(name, func(t *testing.T) {
				d := start(t, forest, width, 30, func(*treeview.Options) {})
				d.press(c.keys)
				screentest.Keep(t, name, screentest.Plain(d.m.View(paint.New(true, false), width, 30)))
			})
		}
	}
}

// The filters are gone through in both directions.
func TestCycle(t *testing.T) {
	d := start(t, forest, 100, 40, nil)
	flags := []string{"[no-tools]", "[user]", "[labeled]", "[all]"}
	for i, want := range flags {
		d.press("ctrl+o")
		if got := d.rows(100, 40); !strings.Contains(got, want) {
			t.Errorf("after ctrl+o %d times:\n%s\nwant %s", i+1, got, want)
		}
	}
	d.press("shift+ctrl+o")
	if got := d.rows(100, 40); !strings.Contains(got, "[labeled]") {
		t.Errorf("after shift+ctrl+o:\n%s\nwant [labeled]", got)
	}
}
