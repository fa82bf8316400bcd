package transient_test

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

func TestOnlyTheLatestWorkCounts(t *testing.T) {
	var w transient.Work
	first, one := w.Begin()
	begun := make(chan struct{})
	ended := make(chan error, 1)
	called := 0
	joined := w.Join(func(ctx context.Context) transient.Then {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return func() tea.Cmd { called++; return nil }
	})
	answer := make(chan tea.Msg, 1)
	go func() { answer <- joined() }()
	<-begun
	if w.Turn() != one || !w.Running() {
		t.Errorf("after Join turn %d runs, want %d", w.Turn(), one)
	}
	second, two := w.Begin()
	if first.Err() == nil || second.Err() != nil || one == two {
		t.Errorf("after Begin the first is ended by %v, the second by %v; turns %d and %d", first.Err(), second.Err(), one, two)
	}
	err := <-ended
	(<-answer).(transient.Then)()
	if err == nil || called != 0 {
		t.Errorf("replaced work ended with %v, and %d results of it were taken", err, called)
	}
	w.Join(func(context.Context) transient.Then { return func() tea.Cmd { called++; return nil } })().(transient.Then)()
	if called != 1 || w.Turn() != two {
		t.Errorf("%d results of running work were taken, want 1", called)
	}
	w.Cancel()
	if second.Err() == nil || w.Running() || w.Turn() == two {
		t.Errorf("Cancel left turn %d of %v, running %v", w.Turn(), second.Err(), w.Running())
	}
}
