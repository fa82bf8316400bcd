package tui

import (
	"context"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// background is what runs beside the screen, until the app ends.
type background struct {
	// within makes a context that ends with the app.
	within func() (context.Context, context.CancelFunc)
	ended  func() bool
	stop   context.CancelFunc
	rescue func() // puts the terminal in order before the process ends

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

// command is a command whose context ends with the app.
func (b *background) command(do func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := b.within()
		defer cancel()
		return do(ctx)
	}
}

// spare does something that nobody waits for, unless such a thing is being done
// already. It must end with its context.
func (b *background) spare(do func(context.Context)) {
	if b.ended() || !b.idleBusy.CompareAndSwap(false, true) {
		return
	}
	b.beside(func(ctx context.Context) {
		defer b.idleBusy.Store(false)
		do(ctx)
	})
}

// beside does something until the app ends. It must end with its context.
func (b *background) beside(do func(context.Context)) {
	b.idle.Add(1)
	b.run(func() {
		defer b.idle.Done()
		ctx, cancel := b.within()
		defer cancel()
		do(ctx)
	})
}

// run does something in a goroutine of its own. A panic there ends the process,
// so the terminal is put in order first; bubbletea takes care of those of commands.
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

// close ends what runs and waits for what nobody else waits for.
func (b *background) close() {
	b.stop()
	b.idle.Wait()
}
