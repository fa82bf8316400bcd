package tui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/tests/corpus"
)

// The app as a whole, at several widths. changing matches the file of a
// session, or its end, and its short ID.
var changing = regexp.MustCompile(`[…~]\S*\.jsonl|\b01[0-9a-f]{6}\b`)

func TestScreens(t *testing.T) {
	for _, c := range []struct{ name, keys, sees string }{
		{"reading", "", "It works."}, {"writing", "i h e l l o", "hello"}, {"tree", "t", "assistant: I"}, {"fork", "F", "Message 2 of 2"},
		{"question", "T", "xhigh"}, {"help", "?", "interrupt"}, {"list", "r", "› Good"},
	} {
		for _, width := range []int{20, 28, 60, 80, 130, 200} {
			if c.name == "tree" && width >= 120 {
				continue // the entry next to it shows its ID, which changes each time
			}
			name := fmt.Sprintf("%s-%d", c.name, width)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := newDesk(t)
				file := d.session("Good name", "Is it a **bug**? 設定ファイル", "<It is, and a long one: it needs more than a line to be told.", "then mend it", "<It works.\n\n- `one`\n- two")
				d.start(func(o *tui.Config) { o.Open = file })
				d.resize(width, 30)
				d.sees("It works.")
				d.sees("↑0 ↓0")
				switch c.keys {
				case "F", "T":
					d.press("i")
					d.types(map[string]string{"F": "/fork", "T": "/thinking"}[c.keys])
				default:
					d.press(c.keys)
				}
				d.sees(c.sees)
				d.gone("Loading")
				if c.name == "list" && width >= 110 {
					d.sees("│ It works.") // of the last exchange, next to the list
				}
				screentest.Keep(t, name, changing.ReplaceAllString(screentest.Plain(d.screen()), "FILE")) // another each time
			})
		}
	}
}

// Every odd file shows as a session with its tree, or says why not; nothing
// hangs, and no control character reaches the terminal.
func TestOddFiles(t *testing.T) {
	for _, odd := range corpus.Odd() {
		t.Run(odd.Name, func(t *testing.T) {
			d := newDesk(t)
			file := filepath.Join(d.home, "odd.jsonl")
			if err := os.WriteFile(file, odd.Bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			d.start(func(c *tui.Config) {
				c.Open = file
				c.Remembered = func(string) (string, bool) { return d.cwd, true }
			})
			d.pump("something", func() bool {
				return strings.Contains(d.screen(), "no model") || strings.Contains(d.screen(), "Resume Session")
			})
			shown := strings.Contains(d.screen(), "no model")
			d.press("g G ctrl+o ctrl+t { } t")
			if shown {
				d.pump("the tree", func() bool {
					return strings.Contains(d.screen(), "Session Tree") || strings.Contains(d.screen(), "no messages yet")
				})
			}
			d.press("ctrl+a up up down left right ctrl+left ctrl+right")
			for _, size := range [][2]int{{20, 10}, {100, 30}, {160, 40}} {
				d.resize(size[0], size[1])
				if strings.ContainsAny(d.screen(), "\x1b\x07\r\x00\u009b") {
					t.Errorf("control characters on the screen:\n%q", d.screen())
				}
			}
		})
	}
}
