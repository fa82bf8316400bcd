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
			d.press("ctrl+d Q ctrl+r ctrl+x") // nothing but the letter
			d.sees("No match in proj")
			d.press("backspace ctrl+space")
			d.sees("› π two")
			d.press("down ctrl+space")
			d.sees("2 selected")
			d.press("enter")
		}, []int{2, 0}},
		"one": {"two", func(d *desk) {
			d.sees("› π two")
			d.press("enter")
		}, []int{1}},
		"none": {"", func(d *desk) {
			d.press("tab")
			d.sees("Choose a session · all projects")
			d.press("?")
			d.sees("esc close")
			d.press("esc esc")
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			files := []string{d.session("one", "first"), d.session("two", "second"), d.session("three", "third")}
			d.start(func(c *tui.Config) { c.Pick, c.Query = true, tt.query })
			d.sees("Choose a session")
			if tt.query == "" {
				d.sees("one")
				d.sees("› π three")
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
