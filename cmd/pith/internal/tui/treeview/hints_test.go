package treeview_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// Every key that the tree shows does something.
func TestHintsWork(t *testing.T) {
	look := func(press string) (screen string, told int) {
		d := start(t, sample, 200, 40, nil)
		d.press(press)
		return paint.Bare(d.m.View(paint.New(true, false), 200, 40)), len(d.told)
	}
	names := strings.NewReplacer("shift+l", "L")
	from := map[string]string{"alt+f": "up", "enter": "up"} // states in which a key has an effect
	first, _ := look("")
	hints := strings.Split(strings.TrimSpace(strings.Split(first, "\n")[2]), " · ")
	if len(hints) != 7 || !strings.HasPrefix(hints[0], "enter ") || hints[6] != "? more" {
		t.Errorf("the hints are %q; want enter first, at most six, and ? more", hints)
	}
	for _, hint := range hints[:len(hints)-1] { // help is the app's
		key, word, _ := strings.Cut(hint, " ")
		key = names.Replace(key)
		before, _ := look(from[key])
		if after, told := look(from[key] + " " + key); after == before && told == 0 {
			t.Errorf("%s (%s) does nothing:\n%s", key, word, after)
		}
	}
}
