package pgstore

import (
	"context"
	"sync"
	"sync/atomic"
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
	size  atomic.Int64  // the length that was last seen
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
		one = &turn{free: make(chan struct{}, 1)}
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

// take waits for the turn.
func (t *turn) take(ctx context.Context) error {
	select {
	case <-t.free:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turn) give() { t.free <- struct{}{} }
