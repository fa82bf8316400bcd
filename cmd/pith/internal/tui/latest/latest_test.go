package latest_test

import (
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/latest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

func TestOnlyTheLatestWorkCounts(t *testing.T) {
	var w latest.Work
	first, one := w.Begin()
	if shared, same := w.Join(); shared != first || same != one || w.Turn() != one || !w.Running() {
		t.Errorf("Join() = %v, %d while %d runs", shared, same, one)
	}
	second, two := w.Begin()
	if first.Err() == nil || second.Err() != nil || one == two {
		t.Errorf("after Begin the first is ended by %v, the second by %v; turns %d and %d", first.Err(), second.Err(), one, two)
	}
	w.Cancel()
	if second.Err() == nil || w.Running() || w.Turn() == two {
		t.Errorf("Cancel left turn %d of %v, running %v", w.Turn(), second.Err(), w.Running())
	}
}

// A newer notice does not go away with an older one.
func TestNotice(t *testing.T) {
	var n latest.Notice
	first := n.Say(paint.Muted, "first", time.Microsecond)().(latest.Over)
	second := n.Say(paint.Error, "second", time.Microsecond)().(latest.Over)
	first.End()
	if n.Text != "second" || n.Tone != paint.Error {
		t.Errorf("the notice is %q", n.Text)
	}
	second.End()
	if n.Text != "" {
		t.Errorf("the notice is still %q", n.Text)
	}
}
