package tui_test

import (
	"os"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// pith pick: the list chooses one session or several, and changes none.
func TestPick(t *testing.T) {
	for name, tt := range map[string]struct {
		query string
		do    func(d *desk)
		want  []int
	}{
		"several": {"", func(d *desk) {
			d.press("alt+n ctrl+d Q ctrl+r alt+f alt+c alt+e alt+r alt+a") // nothing but the letter
			d.sees("no matches")
			d.press("backspace tab")
			d.sees("› two")
			d.press("down tab")
			d.sees("Chosen: 2")
			d.press("enter")
		}, []int{2, 0}},
		"one": {"two", func(d *desk) {
			d.sees("› two")
			d.press("enter")
		}, []int{1}},
		"none": {"", func(d *desk) {
			d.press("shift+tab")
			d.sees("Choose Session (All)")
			d.press("?")
			d.sees("Choose a session")
			d.press("x esc")
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			files := []string{d.session("one", "first"), d.session("two", "second"), d.session("three", "third")}
			d.start(func(c *tui.Config) { c.Pick, c.Query = true, tt.query })
			d.sees("Choose Session")
			if tt.query == "" {
				d.sees("one")
				d.sees("› three")
			}
			tt.do(d)
			d.pump("the end", func() bool { return d.ended })
			bye := d.app.Farewell()
			var got []int
			for _, s := range bye.Picked {
				got = append(got, slices.Index(files, s.Path))
			}
			if !slices.Equal(got, tt.want) || bye.Cancelled != (tt.want == nil) {
				t.Errorf("picked %v, want %v: %+v", got, tt.want, bye)
			}
			for _, file := range files {
				if _, err := os.Stat(file); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
