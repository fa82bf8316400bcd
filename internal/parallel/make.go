package parallel

import (
	"context"
	"sync"
)

// Make is like InOrder for work that can fail: it makes n values and passes
// them to take in order. Every worker gets a maker of its own. take returns
// false to stop early; all goroutines have ended when Make returns.
func Make[T any](ctx context.Context, n int, maker func() func(i int) (T, error), take func(i int, thing T) bool) error {
	type made struct {
		thing T
		err   error
	}
	var one sync.Mutex // makers are made one at a time
	work := func(_ context.Context, make *func(int) (T, error), i int) (m made) {
		if *make == nil {
			one.Lock()
			*make = maker()
			one.Unlock()
		}
		m.thing, m.err = (*make)(i)
		return m
	}
	i := 0
	for m := range InOrder(ctx, n, work) {
		if m.err != nil {
			return m.err
		}
		if !take(i, m.thing) {
			return nil
		}
		i++
	}
	return ctx.Err()
}
