package parallel_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/tests/goroutineleaks"
)

func TestMain(m *testing.M) { goroutineleaks.Main(m) }

// A busy worker counts what it did.
type busy struct{ did int }

// Results come in order, however long each takes, and each thing is done once.
func TestInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		var calls atomic.Int64
		next := 0
		for got := range parallel.InOrder(t.Context(), n, func(_ context.Context, w *busy, i int) int {
			w.did++
			calls.Add(1)
			for range i % 7 {
				runtime.Gosched()
			}
			return 3 * i
		}) {
			if got != 3*next {
				t.Fatalf("InOrder(%d): result %d is %d, want %d", n, next, got, 3*next)
			}
			next++
		}
		if next != n || calls.Load() != int64(n) {
			t.Errorf("InOrder(%d): %d results of %d calls, want %d of each", n, next, calls.Load(), n)
		}
	}
}

// A consumer that stops early leaks no goroutine, and not all of the remaining
// work is started.
func TestInOrderEndsEarly(t *testing.T) {
	const n = 1_000_000
	for _, how := range []string{"left", "cancelled"} {
		ctx, cancel := context.WithCancel(t.Context())
		var running, calls atomic.Int64
		seen := 0
		for range parallel.InOrder(ctx, n, func(context.Context, *busy, int) bool {
			running.Add(1)
			defer running.Add(-1)
			calls.Add(1)
			return true
		}) {
			if seen++; seen < 10 {
				continue
			}
			if how == "left" {
				break
			}
			cancel()
		}
		cancel()
		if running.Load() != 0 || calls.Load() > n/2 {
			t.Errorf("%s after %d results: %d still at work, %d calls", how, seen, running.Load(), calls.Load())
		}
	}
}
