package cli

import (
	"cmp"
	"context"
	"runtime"
	"sync"
)

// A made thing, or why there is none.
type made[T any] struct {
	thing T
	err   error
}

// mostWorkers bounds how many processors one command takes.
const mostWorkers = 4

// workers is how many goroutines share n pieces of work.
func workers(n int) int { return max(1, min(n/8, runtime.GOMAXPROCS(0), mostWorkers)) }

// inOrder makes n things on several processors and hands them on in order, while
// a few wait at most. Every worker gets a maker of its own. take returns false to
// end early; all goroutines have ended when inOrder returns.
func inOrder[T any](ctx context.Context, n int, maker func() func(i int) (T, error), take func(i int, thing T) bool) error {
	count := workers(n)
	if count == 1 {
		return oneByOne(ctx, n, maker(), take)
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	jobs := make(chan job[T])
	queue := make(chan chan made[T], 2*count)
	all.Go(func() { deal(ctx, n, jobs, queue) })
	for range count {
		work := maker()
		all.Go(func() {
			for j := range jobs {
				thing, err := work(j.i)
				j.reply <- made[T]{thing, err}
			}
		})
	}
	i := 0
	for reply := range queue {
		r := <-reply
		if r.err != nil {
			return r.err
		}
		if !take(i, r.thing) {
			return nil
		}
		i++
	}
	return ctx.Err()
}

// A job is one thing to make, and where it is awaited.
type job[T any] struct {
	i     int
	reply chan made[T]
}

// deal hands out the jobs in order until the context ends. What is in the queue
// gets a reply in any case.
func deal[T any](ctx context.Context, n int, jobs chan<- job[T], queue chan<- chan made[T]) {
	defer close(queue)
	defer close(jobs)
	for i := range n {
		reply := make(chan made[T], 1)
		select {
		case queue <- reply:
		case <-ctx.Done():
			return
		}
		select {
		case jobs <- job[T]{i, reply}:
		case <-ctx.Done():
			reply <- made[T]{err: ctx.Err()}
			return
		}
	}
}

func oneByOne[T any](ctx context.Context, n int, work func(i int) (T, error), take func(i int, thing T) bool) error {
	for i := range n {
		thing, err := work(i)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if !take(i, thing) {
			return nil
		}
	}
	return nil
}
