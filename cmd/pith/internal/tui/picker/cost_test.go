package picker_test

import (
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
)

// pitfall 150: a frame costs what is shown, however many sessions there are.
func TestAFrameCostsWhatIsShown(t *testing.T) {
	theme := paint.New(true, true)
	frame := func(n int) float64 {
		d := &desk{t: t, items: map[picker.Scope][]picker.Item{picker.Current: many(n)}}
		d.open(picker.Options{}, 100, 50)
		return testing.AllocsPerRun(20, func() {
			d.m.Update(screentest.Key("down"))
			d.m.View(theme, 100, 50)
		})
	}
	short, long := frame(100), frame(10_000)
	if long > 3*short+100 { // the history is a hundred times as long
		t.Errorf("moving by a row allocates %v times among 10,000 sessions and %v times among 100", long, short)
	}
}
