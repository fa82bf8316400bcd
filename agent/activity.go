package agent

import (
	"context"
	"fmt"
	"sync"
)

// An Activity is an operation of a conversation. Only one can be in progress.
type Activity uint8

// The activities.
const (
	ActivityIdle Activity = iota
	ActivityRunning
	ActivityCompacting
	ActivityNavigating
	ActivitySwitching
	recording // a message is being written, briefly; see Record
)

func (a Activity) words() string {
	switch a {
	case ActivityRunning:
		return "a response"
	case ActivityCompacting:
		return "a compaction"
	case ActivityNavigating:
		return "a navigation"
	case ActivitySwitching:
		return "a session switch"
	}
	return "nothing"
}

type work struct {
	kind   Activity
	cancel context.CancelFunc
	done   chan struct{} // closed when the session is idle again
}

// activities allows one activity at a time. The zero value is idle.
type activities struct {
	sync.Mutex // guards all below; methods that end in Locked require it
	current    *work
	closed     bool
}

func (x *activities) kind() Activity {
	x.Lock()
	defer x.Unlock()
	if x.current == nil || x.current.kind == recording {
		return ActivityIdle
	}
	return x.current.kind
}

func (x *activities) isClosed() bool {
	x.Lock()
	defer x.Unlock()
	return x.closed
}

func (x *activities) abort() {
	x.Lock()
	defer x.Unlock()
	if x.current != nil {
		x.current.cancel()
	}
}

// close aborts the current activity and prevents any other. It reports whether
// this is the first call.
func (x *activities) close() bool {
	x.Lock()
	defer x.Unlock()
	if x.closed {
		return false
	}
	x.closed = true
	if x.current != nil {
		x.current.cancel()
	}
	return true
}

func (x *activities) wait(ctx context.Context) error {
	for {
		x.Lock()
		w := x.current
		x.Unlock()
		if w == nil {
			return nil
		}
		select {
		case <-w.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// begin claims the session for one activity, which the caller must end. The
// returned context is cancelled with ctx and by abort. If another activity is
// in progress, the error is a [BusyError].
func (x *activities) begin(ctx context.Context, kind Activity) (context.Context, *work, error) {
	return x.claim(ctx, kind, func(w *work) bool { return w.kind == recording })
}

// interrupt is like begin, but aborts a run in progress and waits for it.
func (x *activities) interrupt(ctx context.Context, kind Activity) (context.Context, *work, error) {
	return x.claim(ctx, kind, func(w *work) bool {
		if w.kind == ActivityRunning {
			w.cancel()
		}
		return w.kind == ActivityRunning || w.kind == recording
	})
}

// claim claims the session. It first waits for the current activity if waits
// returns true for it.
func (x *activities) claim(ctx context.Context, kind Activity, waits func(*work) bool) (context.Context, *work, error) {
	for {
		x.Lock()
		w := x.current
		if w == nil || !waits(w) {
			defer x.Unlock()
			return x.beginLocked(ctx, kind)
		}
		x.Unlock()
		select {
		case <-w.done:
		case <-ctx.Done():
			return nil, nil, aborted(ctx)
		}
	}
}

func (x *activities) beginLocked(ctx context.Context, kind Activity) (context.Context, *work, error) {
	switch {
	case x.closed:
		return nil, nil, ErrClosed
	case x.current != nil:
		return nil, nil, &BusyError{x.current.kind}
	}
	ctx, cancel := context.WithCancel(ctx)
	x.current = &work{kind: kind, cancel: cancel, done: make(chan struct{})}
	return ctx, x.current, nil
}

func (x *activities) endLocked() {
	close(x.current.done)
	x.current = nil
}

// aborted returns the error of an operation whose context is done.
func aborted(ctx context.Context) error { return fmt.Errorf("%w: %w", ErrAborted, context.Cause(ctx)) }
