package agent

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A bus delivers events. The zero bus has no subscribers.
type bus struct {
	mu         sync.Mutex // guards all below
	subs       []*subscriber
	queue      []Event
	closed     bool          // no more events are delivered
	delivering bool          // a goroutine is delivering the queue
	idle       chan struct{} // closed when the queue is empty
}

type subscriber struct {
	f    func(Event)
	gone atomic.Bool
}

func (b *bus) subscribe(f func(Event)) (cancel func()) {
	s := &subscriber{f: f}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs = append(slices.Clone(b.subs), s)
	return func() { b.unsubscribe(s) }
}

func (b *bus) unsubscribe(s *subscriber) {
	s.gone.Store(true)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs = slices.DeleteFunc(slices.Clone(b.subs), func(other *subscriber) bool { return other == s })
}

// emit queues an event. The delivering goroutine ends when the queue is empty.
func (b *bus) emit(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || len(b.subs) == 0 && !b.delivering {
		return
	}
	b.queue = append(b.queue, e)
	if !b.delivering {
		b.delivering, b.idle = true, make(chan struct{})
		go b.deliverQueue()
	}
}

func (b *bus) deliverQueue() {
	for {
		b.mu.Lock()
		events, subs := b.queue, b.subs
		b.queue = nil
		if len(events) == 0 {
			b.delivering = false
			close(b.idle)
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		for _, e := range events {
			for _, s := range subs {
				if !s.gone.Load() {
					s.f(e)
				}
			}
		}
	}
}

// flush waits until all events emitted before have been delivered.
func (b *bus) flush() {
	b.mu.Lock()
	idle, delivering := b.idle, b.delivering
	b.mu.Unlock()
	if delivering {
		<-idle
	}
}

// close delivers the events emitted before, and drops all later ones.
func (b *bus) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.flush()
}
