package tui

import (
	"context"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// background runs work concurrently with the screen, until the app ends.
type background struct {
	// within returns a context that ends with the app.
	within func() (context.Context, context.CancelFunc)
	ended  func() bool
	stop   context.CancelFunc
	rescue func() // restores the terminal before the process ends

	idle     sync.WaitGroup
	idleBusy atomic.Bool
}

func newBackground(ctx context.Context) *background {
	ctx, stop := context.WithCancel(ctx)
	return &background{
		within: func() (context.Context, context.CancelFunc) { return context.WithCancel(ctx) },
		ended:  func() bool { return ctx.Err() != nil },
		stop:   stop, rescue: func() {},
	}
}

// command returns a command whose context ends with the app. What do returns,
// which may be nil, is called by the loop of the app.
func (b *background) command(do func(context.Context) transient.Then) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := b.within()
		defer cancel()
		if then := do(ctx); then != nil {
			return then
		}
		return nil
	}
}

// spare runs low-priority work in the background, unless such work is already
// running. It must end with its context.
func (b *background) spare(do func(context.Context)) {
	if b.ended() || !b.idleBusy.CompareAndSwap(false, true) {
		return
	}
	b.start(func(ctx context.Context) {
		defer b.idleBusy.Store(false)
		do(ctx)
	})
}

// start runs work until the app ends. It must end with its context.
func (b *background) start(do func(context.Context)) {
	b.idle.Add(1)
	b.run(func() {
		defer b.idle.Done()
		ctx, cancel := b.within()
		defer cancel()
		do(ctx)
	})
}

// run runs a function in its own goroutine. A panic there ends the process, so
// the terminal is restored first; bubbletea handles panics of commands.
func (b *background) run(do func()) {
	go func() {
		ended := false
		defer func() {
			if !ended {
				b.rescue()
			}
		}()
		do()
		ended = true
	}()
}

// close ends all background work and waits for it.
func (b *background) close() {
	b.stop()
	b.idle.Wait()
}
