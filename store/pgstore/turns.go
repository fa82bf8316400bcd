package pgstore

import (
	"context"
	"sync"
)

// turns lets those who append to one log from this process do so one after the other.
// All but one of them would only wait for the row, find another length and ask again.
type turns struct {
	mu   sync.Mutex // guards byID
	byID map[int64]*turn
}

// A turn is a log that this process has open.
type turn struct {
	users int           // guarded by turns.mu
	free  chan struct{} // holds one token

	mu   sync.Mutex    // guards the two below
	size int64         // the length that was last seen
	seen chan struct{} // closed when another length is seen
}

// of is the turn of a log, until done is called.
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

// take waits for the turn of who believes the log to be at bytes long. As soon as it is
// known to be longer, there is nothing to wait for: longer is that length. All who wait
// are told at once, so that the next of them need not wait for each of the others.
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

// saw tells the length of the log.
func (t *turn) saw(size int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size != size {
		t.size = size
		close(t.seen)
		t.seen = make(chan struct{})
	}
}
