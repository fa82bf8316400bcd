// Package parallel does the same work for many items on several goroutines and
// returns the results in order.
package parallel

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	// maxWorkers limits the buffers in use on machines with many cores.
	maxWorkers = 16
	// aheadPerWorker is the number of results that may wait for a slow one.
	aheadPerWorker = 16
)

// InOrder calls work for 0 to n-1 on several goroutines and yields the results
// in that order. Each goroutine has a worker of its own. If ctx is canceled,
// the sequence ends early; the caller must check ctx. All goroutines have ended
// when the range statement ends.
func InOrder[W, T any](ctx context.Context, n int, work func(ctx context.Context, w *W, i int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		workers := min(runtime.GOMAXPROCS(0), maxWorkers, n)
		window := aheadPerWorker * workers
		// The claimed indexes that were not yielded are consecutive and at most
		// window in number, so each has a slot of its own.
		slots := make([]chan T, window)
		for i := range slots {
			slots[i] = make(chan T, 1)
		}
		ahead := make(chan struct{}, window)
		var claimed atomic.Int64
		var wg sync.WaitGroup
		defer wg.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for range workers {
			wg.Go(func() {
				var w W
				for {
					select {
					case ahead <- struct{}{}:
					case <-ctx.Done():
						return
					}
					i := int(claimed.Add(1)) - 1
					if i >= n {
						return
					}
					slots[i%window] <- work(ctx, &w, i)
				}
			})
		}
		for i := range n {
			select {
			case result := <-slots[i%window]:
				<-ahead
				if !yield(result) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
