package treeview_test

import (
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
)

// pitfall 150: the cost of a frame depends on the visible part, whatever is
// above and below it.
func TestAFrameCostsWhatIsShown(t *testing.T) {
	theme := paint.New(true, true)
	frame := func(n int) float64 {
		d := &desk{t: t}
		d.open(chain(d, n), 100, 50, nil)
		d.press("pgup pgup pgup")
		return testing.AllocsPerRun(20, func() {
			d.m.Update(screentest.Key("up"))
			d.m.View(theme, 100, 50)
		})
	}
	short, long := frame(500), frame(50_000)
	if long > 3*short+100 { // the history is a hundred times as long
		t.Errorf("moving by a row allocates %v times in 50,000 entries and %v times in 500", long, short)
	}
}
