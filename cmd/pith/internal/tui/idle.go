package tui

import (
	"context"
	"sync"
	"sync/atomic"
)

// idle is work that nobody waits for: one thing at a time, until the app ends.
type idle struct {
	sync.WaitGroup
	busy atomic.Bool
}

// spare does something beside the screen, unless such a thing is being done
// already. It must end with its context, which is the app's.
func (a *App) spare(do func(context.Context)) {
	if a.ctx.Err() != nil || !a.idle.busy.CompareAndSwap(false, true) {
		return
	}
	a.idle.Add(1)
	a.beside(func() {
		defer a.idle.Done()
		defer a.idle.busy.Store(false)
		do(a.ctx)
	})
}

// beside does something in a goroutine of its own. A panic there ends the
// process, so the terminal is put in order first; those of commands the program
// takes care of.
func (a *App) beside(do func()) {
	go func() {
		ended := false
		defer func() {
			if !ended {
				a.rescue()
			}
		}()
		do()
		ended = true
	}()
}
