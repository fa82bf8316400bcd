package rpcserver

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// maxPending limits the memory of pending requests, in bytes. When it is
// exceeded, the server reads no more until one is answered.
const maxPending = 256 << 20

// requestCost is the memory of a request in addition to its text: goroutine,
// response, bookkeeping.
const requestCost = 8 << 10

// pending holds the requests that are not answered yet.
type pending struct {
	mu    sync.Mutex // guards all below
	freed *sync.Cond // signals that bytes has decreased
	byID  map[string][]*job
	bytes int
}

func newPending() *pending {
	p := &pending{byID: map[string][]*job{}}
	p.freed = sync.NewCond(&p.mu)
	return p
}

// A job is a request that is not answered yet.
type job struct {
	*request
	cancel  context.CancelFunc
	deliver func(*reply)
	once    sync.Once
	all     *pending
	started atomic.Bool // the request is being served
}

// add registers a request and returns the context to serve it with. It waits
// while too many requests are pending.
func (p *pending) add(ctx context.Context, r *request, deliver func(*reply)) (context.Context, *job) {
	j := &job{request: r, deliver: deliver, all: p}
	ctx, j.cancel = context.WithCancel(ctx)
	defer context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.freed.Broadcast()
	})()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.bytes > 0 && p.bytes+j.cost() > maxPending && ctx.Err() == nil {
		p.freed.Wait()
	}
	p.bytes += j.cost()
	if r.id != nil {
		p.byID[string(r.id)] = append(p.byID[string(r.id)], j)
	}
	return ctx, j
}

func (j *job) cost() int { return len(j.params) + requestCost }

// answer delivers the response. Only the first call has an effect.
func (j *job) answer(r *reply) {
	j.once.Do(func() {
		j.cancel()
		j.all.remove(j)
		j.deliver(r)
	})
}

func (p *pending) remove(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes -= j.cost()
	p.freed.Broadcast()
	id := string(j.id)
	p.byID[id] = slices.DeleteFunc(p.byID[id], func(other *job) bool { return other == j })
	if len(p.byID[id]) == 0 {
		delete(p.byID, id)
	}
}

// cancelRequests cancels every pending request with that ID, as raw JSON.
// Requests that are still queued are answered immediately.
func (p *pending) cancelRequests(id []byte) {
	p.mu.Lock()
	jobs := slices.Clone(p.byID[string(id)])
	p.mu.Unlock()
	for _, j := range jobs {
		j.cancel()
		if !j.started.Load() {
			j.answer(j.fail(faultOf(context.Canceled)))
		}
	}
}

// begin reports whether the request must still be served.
func (j *job) begin(ctx context.Context) bool {
	j.started.Store(true)
	if ctx.Err() == nil {
		return true
	}
	j.answer(j.fail(faultOf(ctx.Err())))
	return false
}
