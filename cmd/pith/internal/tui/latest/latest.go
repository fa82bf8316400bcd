// Package latest holds what is replaced by what comes after it: work beside the
// screen of which only the latest counts, and news in a line that goes away.
//
// Each begins a new turn. What arrives late, of an older turn, is told from what
// is awaited by its number.
package latest

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// Work runs beside the screen until it is cancelled or replaced. The zero Work
// does nothing. It is for one goroutine, that of the screen.
type Work struct {
	ctx  context.Context
	stop context.CancelFunc
	turn int
}

// Begin ends what ran before and returns the context and the number of what runs
// now.
func (w *Work) Begin() (context.Context, int) {
	w.Cancel()
	return w.Join()
}

// Join returns the context and the number of what runs; it begins where nothing
// does.
func (w *Work) Join() (context.Context, int) {
	if w.stop == nil {
		w.ctx, w.stop = context.WithCancel(context.Background())
	}
	return w.ctx, w.turn
}

// Cancel ends what runs. What it still has to say does not count any more.
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
