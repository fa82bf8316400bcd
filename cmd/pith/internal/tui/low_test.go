package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// Every screen shows what it is for in a low and narrow window: the text, the selected
// row, the question and the selected answer, the line that is typed.
func TestLowWindows(t *testing.T) {
	for _, size := range [][2]int{{20, 5}, {40, 10}, {20, 11}, {60, 5}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			file := d.session("", "why is it slow", "<It reads twice.", "then mend it", "<It works.", "and test it", "<Tested.")
			d.session("Other", "elsewhere", "<far")
			d.start(func(c *tui.Config) { c.Open = file })
			d.resize(size[0], size[1])
			// do presses keys; then the screen shows texts and fits into the window.
			do := func(keys string, texts ...string) {
				t.Helper()
				d.press(keys)
				for _, text := range texts {
					d.sees(text)
				}
				lines := strings.Split(d.screen(), "\n")
				if len(lines) != size[1] {
					t.Errorf("after %q the screen has %d lines:\n%s", keys, len(lines), d.screen())
				}
				for _, line := range lines {
					if termsafe.Width(line) > size[0] {
						t.Errorf("after %q a line has %d cells: %q", keys, termsafe.Width(line), line)
					}
				}
			}
			do("", "Tested.", "i write")
			do("g", "› ", "why is it slow")
			do("down", "It reads twice.")
			do("G i", "Tested.", "esc to read")
			d.writes("hello")
			do("", "Tested.", "hello")
			for range 5 { // new lines leave room for the conversation
				d.press("shift+enter")
				d.writes("more")
			}
			do("", "Tested.", "more")
			do("ctrl+c")
			d.types("/thinking")
			do("", "hinking", "› ")
			do("j j", "hinking", "› low")
			do("k", "› minimal")
			do("esc esc", "Tested.", "i write")
			do("/")
			d.writes("works")
			do("", "/works")
			d.resize(80, 24) // in the middle of a search
			d.sees("/works")
			d.resize(size[0], size[1])
			do("", "/works")
			do("enter", "It works.", "1 of 1")
			d.resize(30, 6)
			d.sees("It works.")
			d.resize(size[0], size[1])
			do("", "It works.", "/works")
			do("esc g c", "Contents", "› ", "why is it")
			do("j j", "and test")
			do("c", "i write")
			do("alt+e", "Export to", ".html")
			do("esc esc", "i write")
			do("t", "Session Tree", "› ", "assistant: T", "(6/6)")
			do("k k k", "(3/6)", "user: then")
			do("L", "Label")
			d.writes("good")
			do("", "> good")
			do("enter", "[good]")
			do("/")
			d.writes("slow")
			do("", "Search: slow", "› ", "(1/1)")
			do("esc enter", "Summarize", "› No")
			do("j j", "› Summarize")
			do("enter", "instructions")
			d.writes("be short")
			do("", "be short")
			do("esc esc esc esc", "i write")
			do("?", "scroll")
			do("j", "scroll")
			do("q", "i write")
			do("i")
			d.types("/fork")
			do("", "and test it", "3 of 3")
			do("k", "then mend it", "2 of 3")
			do("esc esc r", "Resume", "› Other", "why is it")
			d.pump("the list to be read", func() bool {
				d.press("ctrl+r") // does nothing before that
				return strings.Contains(d.screen(), "Rename")
			})
			do("", "Rename", "> ")
			do("esc", "›")
			do("ctrl+d", "Delete session?")
		})
	}
}
