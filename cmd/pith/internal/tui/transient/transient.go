// Package transient holds what screens send to the app, and background work of which
// only the latest counts: it reports with a [Then], which does nothing if a successor
// has started meanwhile.
package transient

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// Then is the message with which a command hands over its result. The goroutine
// that updates the screen calls it.
type Then func() tea.Cmd

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

// Start cancels earlier work and returns a command for the new one: see Join.
func (w *Work) Start(do func(ctx context.Context) Then) tea.Cmd {
	w.Cancel()
	return w.Join(do)
}

// Join returns a command that belongs to the running work; it starts work if
// none is running. The context of do ends with it, and when the work is
// canceled. The result of do, which may be nil, is called unless the work was
// canceled.
func (w *Work) Join(do func(ctx context.Context) Then) tea.Cmd {
	if w.stop == nil {
		w.Begin()
	}
	within, turn := w.within, w.turn
	return func() tea.Msg {
		ctx, stop := within()
		defer stop()
		then := do(ctx)
		return Then(func() tea.Cmd {
			if then == nil || turn != w.turn {
				return nil
			}
			return then()
		})
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

// News is a message that shows a line for a while: an error until the next key.
type News struct {
	Tone paint.Tone
	Text string
	// Undo takes back what the news is about, and returns what it has done; nil if
	// that cannot be taken back.
	Undo func(ctx context.Context) (string, error)
}

// Say returns the command that shows a line.
func Say(tone paint.Tone, text string) tea.Cmd {
	return func() tea.Msg { return News{Tone: tone, Text: text} }
}
