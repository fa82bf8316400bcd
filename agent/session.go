package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/llm"
)

// A Session is a live conversation. It may be used by several goroutines at once.
type Session struct {
	config Config
	tools  map[string]Tool
	bus    bus
	queues queues
	base   context.Context // of what the session does by itself; ends with Close
	stop   context.CancelFunc
	own    sync.WaitGroup // runs that the session began by itself

	mu       sync.Mutex // guards the fields down to closed
	current  *pith.Session
	client   llm.Client // nil when there is no model
	thinking string
	active   map[string]bool // the tools that are offered
	work     *work           // what is going on; nil when idle
	closed   bool

	writer  writer
	guard   guard
	pending pending
}

// An Activity is what a session is busy with.
type Activity uint8

// The activities.
const (
	Idle Activity = iota
	Running
	Compacting
	Navigating
	Switching
	recording // a message is written; see Record. It is over at once
)

func (a Activity) String() string {
	switch a {
	case Running:
		return "an answer"
	case Compacting:
		return "a compaction"
	case Navigating:
		return "a navigation"
	case Switching:
		return "a switch of sessions"
	}
	return "nothing"
}

// work is one activity.
type work struct {
	kind    Activity
	cancel  context.CancelFunc
	aborted bool          // guarded by Session.mu
	done    chan struct{} // closed when the session is idle again
}

// Session is the session in which the conversation is held. Others may take its
// place: see [Switched].
func (a *Session) Session() *pith.Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.current
}

func (a *Session) isClosed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.closed
}

// Busy says what is going on. A compaction within a run counts as the run.
func (a *Session) Busy() Activity {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.work == nil || a.work.kind == recording {
		return Idle
	}
	return a.work.kind
}

// Abort ends what is going on, if anything is. It does not wait: what it ended
// returns an error that matches [ErrAborted]. Messages that are queued stay so.
func (a *Session) Abort() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.abortLocked()
}

func (a *Session) abortLocked() {
	if a.work != nil {
		a.work.aborted = true
		a.work.cancel()
	}
}

// Wait returns when nothing is going on, or when ctx ends.
func (a *Session) Wait(ctx context.Context) error {
	for {
		a.mu.Lock()
		w := a.work
		a.mu.Unlock()
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

// Close aborts what is going on, asks the Shutdown hooks and closes the session.
// What is queued is dropped.
func (a *Session) Close() error {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return nil
	}
	a.closed = true
	a.abortLocked()
	a.mu.Unlock()
	_ = a.Wait(context.Background()) // cannot fail
	a.own.Wait()
	s := a.Session()
	a.hookShutdown(a.base, ShutdownEvent{Session: s, Reason: Quit})
	a.stop()
	err := errors.Join(a.flushPending(anyMessage), s.Close())
	a.bus.close()
	return err
}

// begin claims the session for one activity; end must be called. The context ends
// when ctx does and with Abort. If anything is going on the error is a [BusyError].
func (a *Session) begin(ctx context.Context, kind Activity) (context.Context, *work, error) {
	return a.claim(ctx, kind, nil)
}

// interrupt is begin, but a run that is going on is aborted and waited for.
func (a *Session) interrupt(ctx context.Context, kind Activity) (context.Context, *work, error) {
	return a.claim(ctx, kind, a.abortLocked)
}

// claim claims the session. abort is called before a run is waited for; nil means
// that it is not waited for.
func (a *Session) claim(ctx context.Context, kind Activity, abort func()) (context.Context, *work, error) {
	for {
		a.mu.Lock()
		w := a.work
		wait := w != nil && (w.kind == recording || w.kind == Running && abort != nil)
		if !wait {
			defer a.mu.Unlock()
			return a.beginLocked(ctx, kind)
		}
		if w.kind == Running {
			abort()
		}
		a.mu.Unlock()
		select {
		case <-w.done:
		case <-ctx.Done():
			return nil, nil, aborted(ctx)
		}
	}
}

func (a *Session) beginLocked(ctx context.Context, kind Activity) (context.Context, *work, error) {
	switch {
	case a.closed:
		return nil, nil, ErrClosed
	case a.work != nil:
		return nil, nil, &BusyError{a.work.kind}
	}
	ctx, cancel := context.WithCancel(ctx)
	a.work = &work{kind: kind, cancel: cancel, done: make(chan struct{})}
	return ctx, a.work, nil
}

// end makes the session idle again and tells last, which may be nil. Whoever
// hears it finds the session idle, and events of what comes next follow it.
func (a *Session) end(w *work, last Event) {
	a.lockSettled(w)
	defer a.mu.Unlock()
	a.endLocked(w, last)
}

// endAndDeliver is end, but if messages are queued a run that sends them follows
// at once (pitfalls 83, 115).
func (a *Session) endAndDeliver(w *work, last Event) {
	a.lockSettled(w)
	defer a.mu.Unlock()
	a.endLocked(w, last)
	a.deliverLocked()
}

// lockSettled is lockFlushed at the end of an activity: whoever records a message
// from then on finds the session idle.
func (a *Session) lockSettled(w *work) {
	w.cancel()
	if err := a.lockFlushed(); err != nil {
		a.bus.emit(&Problem{err})
	}
}

// lockFlushed locks mu when no recorded message waits any more. Messages that
// cannot be written, which is the error, or that come faster than they can be,
// wait for the next occasion.
func (a *Session) lockFlushed() error {
	for range attempts {
		err := a.flushPending(anyMessage)
		a.mu.Lock()
		if err != nil || a.pending.empty() {
			return err
		}
		a.mu.Unlock()
	}
	a.mu.Lock()
	return nil
}

func (a *Session) endLocked(w *work, last Event) {
	a.work = nil
	close(w.done)
	if last != nil {
		a.bus.emit(last)
	}
}

// deliver starts a run for what is queued, unless something is going on.
func (a *Session) deliver() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deliverLocked()
}

func (a *Session) deliverLocked() {
	if a.queues.empty() {
		return
	}
	ctx, w, err := a.beginLocked(a.base, Running)
	if err != nil {
		return // whatever is going on will deliver it
	}
	a.own.Go(func() { _ = a.run(ctx, w, nil) }) // told by Settled
}
