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
	names := strings.NewReplacer("↑", "up", "↓", "down", "←", "left", "→", "right", "shift+l", "L", "shift+t", "T")
	from := map[string]string{"ctrl+d": "ctrl+a", "ctrl+right": "ctrl+left ctrl+left", "alt+f": "up"} // states in which a key has an effect
	first, _ := look("")
	lines := strings.Split(first, "\n")
	tried := 0
	for hint := range strings.SplitSeq(strings.TrimSpace(lines[2])+" · "+strings.TrimSpace(lines[3])+" · "+strings.TrimSpace(lines[4]), " · ") {
		hint = strings.TrimPrefix(hint, "show: ")
		if strings.Trim(hint, "─") == "" {
			continue
		}
		label, word, _ := strings.Cut(hint, " ")
		keys := []string{label}
		if a, b, two := strings.Cut(label, "/"); two && a != "" { // ctrl+←/→
			keys = []string{a, a[:strings.LastIndex(a, "+")+1] + b}
		}
		for _, key := range keys {
			key = names.Replace(key)
			before, _ := look(from[key])
			if after, told := look(from[key] + " " + key); after == before && told == 0 {
				t.Errorf("%s (%s) does nothing:\n%s", key, word, after)
			}
			tried++
		}
	}
	if tried < 17 {
		t.Errorf("only %d keys in\n%s", tried, first)
	}
}
