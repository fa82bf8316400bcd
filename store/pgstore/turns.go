package pgstore

import (
	"context"
	"sync"
)

// turns serializes appends to one log from this process. Otherwise all but one
// of them would wait for the row, find another length and try again.
type turns struct {
	mu   sync.Mutex // guards byID
	byID map[int64]*turn
}

// A turn represents a log that this process has open.
type turn struct {
	users int           // guarded by turns.mu
	free  chan struct{} // holds one token

	mu   sync.Mutex    // guards size and seen
	size int64         // last known length
	seen chan struct{} // closed when the length changes
}

// of returns the turn of a log. The caller must call done.
func (t *turns) of(id int64) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = map[int64]*turn{}
	}
	one := t.byID[id]
	if one == nil {
		one = &turn{free: make(chan struct{}, 1), seen: make(chan struct{})}
		one.free <- struct{}{}
		t.byID[id] = one
	}
	one.users++
	return one
}

func (t *turns) done(id int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.byID[id]; one != nil {
		if one.users--; one.users == 0 {
			delete(t.byID, id)
		}
	}
}

// take waits for the turn of a writer that expects the log to be at bytes long.
// It returns early if the log is known to be longer; longer is that length. All
// waiting writers learn of a new length together, so they need not wait for
// each other.
func (t *turn) take(ctx context.Context, at int64) (longer int64, err error) {
	for {
		size, seen := t.last()
		if size > at {
			return size, nil
		}
		select {
		case <-t.free:
			if size, _ := t.last(); size > at {
				t.give()
				return size, nil
			}
			return 0, nil
		case <-seen:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (t *turn) give() { t.free <- struct{}{} }

func (t *turn) last() (size int64, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size, t.seen
}

func (t *turn) setSize(size int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size != size {
		t.size = size
		close(t.seen)
		t.seen = make(chan struct{})
	}
}
