package rpcserver

import (
	"context"
	"sync"
)

// maxPending bounds the memory of requests that were read and not yet answered, in
// bytes. When it is used up, the server reads no more until one is answered.
const maxPending = 256 << 20

// requestCost is what a request costs beside its text: goroutine, reply, bookkeeping.
const requestCost = 8 << 10

// pending are the requests that are not answered yet.
type pending struct {
	mu    sync.Mutex // guards all below
	byID  map[string][]*job
	bytes int
	freed chan struct{} // closed when bytes falls; nil when nobody waits
}

// A job is a request that is not answered yet.
type job struct {
	*request
	cancel  context.CancelFunc
	deliver func(*reply)
	once    sync.Once
	all     *pending
	started chan struct{} // closed when the request is being served
}

// add registers a request and returns the context to serve it with. It waits while
// too much is pending.
func (p *pending) add(ctx context.Context, r *request, deliver func(*reply)) (context.Context, *job) {
	j := &job{request: r, deliver: deliver, all: p, started: make(chan struct{})}
	ctx, j.cancel = context.WithCancel(ctx)
	for {
		p.mu.Lock()
		if p.bytes == 0 || p.bytes+j.cost() <= maxPending || ctx.Err() != nil {
			break
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
		}
	}
	defer p.mu.Unlock()
	p.bytes += j.cost()
	if r.id != nil {
		if p.byID == nil {
			p.byID = map[string][]*job{}
		}
		p.byID[string(r.id)] = append(p.byID[string(r.id)], j)
	}
	return ctx, j
}

func (j *job) cost() int { return len(j.params) + requestCost }

// answer delivers the reply. Only the first reply counts.
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
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
	if j.id == nil {
		return
	}
	id := string(j.id)
	rest := p.byID[id][:0]
	for _, other := range p.byID[id] {
		if other != j {
			rest = append(rest, other)
		}
	}
	if len(rest) == 0 {
		delete(p.byID, id)
	} else {
		p.byID[id] = rest
	}
}

// cancelRequests cancels every pending request with that id, raw JSON. Those that
// wait for their turn are answered at once.
func (p *pending) cancelRequests(id []byte) {
	p.mu.Lock()
	jobs := append([]*job(nil), p.byID[string(id)]...)
	p.mu.Unlock()
	for _, j := range jobs {
		j.cancel()
		select {
		case <-j.started:
		default:
			j.answer(j.fail(faultOf(context.Canceled)))
		}
	}
}

// begin reports whether a request is still to be served.
func (j *job) begin(ctx context.Context) bool {
	close(j.started)
	if ctx.Err() == nil {
		return true
	}
	j.answer(j.fail(faultOf(ctx.Err())))
	return false
}
