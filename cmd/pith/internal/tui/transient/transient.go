// Package transient holds what is replaced by what comes after it: work beside the
// screen of which only the latest counts, and a line of news that goes away.
//
// Each begins a new turn. A result that arrives late, from an older turn, is
// recognised by its number.
package transient

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// Work runs beside the screen until it is cancelled or replaced. The zero Work
// does nothing. It belongs to one goroutine, the one that updates the screen.
type Work struct {
	stop context.CancelFunc
	// within makes a context that ends when what runs is cancelled.
	within func() (context.Context, context.CancelFunc)
	turn   int
}

// Begin cancels what ran before and returns the context and the number of what
// runs now. The context ends with Cancel alone: screens are closed when the app ends.
func (w *Work) Begin() (context.Context, int) {
	w.Cancel()
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	w.within = func() (context.Context, context.CancelFunc) { return context.WithCancel(ctx) }
	return ctx, w.turn
}

// Join is a command that belongs to what runs already; it begins where nothing
// does. The command's context ends with it, and when the work is cancelled.
func (w *Work) Join(do func(ctx context.Context, turn int) tea.Msg) tea.Cmd {
	if w.stop == nil {
		w.Begin()
	}
	within, turn := w.within, w.turn
	return func() tea.Msg {
		ctx, stop := within()
		defer stop()
		return do(ctx, turn)
	}
}

// Cancel ends what runs. Results that still arrive do not count any more.
func (w *Work) Cancel() {
	w.turn++
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// Turn is the number of what runs, or of what would begin now.
func (w *Work) Turn() int { return w.turn }

// Running reports whether something was begun and not cancelled.
func (w *Work) Running() bool { return w.stop != nil }

// A Notice is a line of news that goes away. It must not be copied once something
// was said.
type Notice struct {
	Text string
	Tone paint.Tone
	turn int
}

// Over is the message by which a notice goes away: see End.
type Over struct {
	notice *Notice
	turn   int
}

// Say shows a line for a while.
func (n *Notice) Say(tone paint.Tone, text string, stays time.Duration) tea.Cmd {
	n.turn++
	n.Text, n.Tone = text, tone
	over := Over{n, n.turn}
	return tea.Tick(stays, func(time.Time) tea.Msg { return over })
}

// End takes the line away, unless a newer one stands there.
func (o Over) End() {
	if o.turn == o.notice.turn {
		o.notice.Text = ""
	}
}
