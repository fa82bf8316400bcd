package tui_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// Every key that a conversation shows does something: below it, and in the
// contents.
func TestConversationHintsWork(t *testing.T) {
	for name, tt := range map[string]struct {
		press, sees string
		line        string // has the hints, after its first part
		least       int
	}{
		"reading":  {"", "i write", "i write", 6},
		"contents": {"c", "2 ask two", "Contents", 2},
	} {
		begin := func() *desk {
			d := newDesk(t)
			file := d.session("", "ask one", "<say one", "ask two", "<say two")
			d.start(func(c *tui.Config) { c.Open = file })
			d.sees("say two")
			d.press("esc")
			d.sees("i write")
			d.press("g " + tt.press)
			d.sees(tt.sees)
			return d
		}
		d := begin()
		var hints []string
		for line := range strings.SplitSeq(d.screen(), "\n") {
			if at := strings.Index(line, tt.line); at >= 0 {
				hints = strings.Split(strings.TrimSpace(strings.TrimPrefix(line[at:], "Contents")), " · ")
			}
		}
		d.close()
		tried := 0
		for _, hint := range hints {
			key, word, _ := strings.Cut(hint, " ")
			tried++
			d := begin()
			if key == "enter" {
				d.press("down") // to a turn that is not shown at the top
			}
			before := d.screen()
			d.press(key)
			d.pump(name+": "+key+" ("+word+") does nothing", func() bool { return d.screen() != before })
			d.close()
		}
		if tried < tt.least {
			t.Errorf("%s: only %d hints: %q", name, tried, hints)
		}
	}
}
