package conversation_test

import (
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// pitfall 150: a frame costs what is shown, however long the conversation is.
func TestAFrameCostsWhatIsShown(t *testing.T) {
	theme := paint.New(true, paint.Full)
	frame := func(n int) float64 {
		d := start(t, 100, 50, talk(n)...)
		d.press("pgup")
		d.m.Lines(theme, 100, 50)
		return testing.AllocsPerRun(20, func() { d.m.Lines(theme, 100, 50) })
	}
	short, long := frame(50), frame(20_000)
	if long > 3*short+100 { // the history is a hundred times as long
		t.Errorf("a frame allocates %v times in 20,000 exchanges and %v times in 50", long, short)
	}
}
