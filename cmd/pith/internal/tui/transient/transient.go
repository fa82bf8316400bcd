// Package transient manages things that are replaced by their successors:
// background work of which only the latest counts, and a line of news that
// disappears.
//
// Each starts a new turn. A late result of an older turn is recognized by its
// number.
package transient

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// Work runs in the background until it is canceled or replaced. The zero Work
// does nothing. It is used only by the goroutine that updates the screen.
type Work struct {
	stop context.CancelFunc
	// within returns a context that ends when the work is canceled.
	within func() (context.Context, context.CancelFunc)
	turn   int
}

// Begin cancels earlier work and returns the context and the number of the new
// one. The context ends only with Cancel: screens are closed when the app ends.
func (w *Work) Begin() (context.Context, int) {
	w.Cancel()
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	w.within = func() (context.Context, context.CancelFunc) { return context.WithCancel(ctx) }
	return ctx, w.turn
}

// Join returns a command that belongs to the running work; it starts work if
// none is running. The command's context ends with it, and when the work is
// canceled.
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

// Cancel ends the work. Results that still arrive are ignored.
func (w *Work) Cancel() {
	w.turn++
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// Turn returns the number of the running work, or of the next one.
func (w *Work) Turn() int { return w.turn }

// Running reports whether work was started and not canceled.
func (w *Work) Running() bool { return w.stop != nil }

// A Notice is a line of news that disappears. It must not be copied after the
// first use.
type Notice struct {
	Text string
	Tone paint.Tone
	turn int
}

// Over is the message that ends a notice: see End.
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

// End removes the line, unless there is a newer one.
func (o Over) End() {
	if o.turn == o.notice.turn {
		o.notice.Text = ""
	}
}
