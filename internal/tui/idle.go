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
	a.idle.Go(func() {
		defer a.idle.busy.Store(false)
		do(a.ctx)
	})
}
