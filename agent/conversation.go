package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/pith-sessions/pith"
)

// A Conversation is a live conversation. It is safe for concurrent use.
type Conversation struct {
	config    Config
	events    bus
	hooks     hookSet
	recorder  recorder
	tools     toolset
	choice    choice
	queues    queues
	compactor compactor
	activity  activities
	own       sync.WaitGroup // runs that the conversation started by itself, and Tree hooks
	closed    chan struct{}  // closed when Close is done
	closeErr  error          // the result of Close; set before closed is closed
}

// Session returns the current session. Fork, Clone, New and Switch replace it.
func (a *Conversation) Session() *pith.Session { return a.recorder.session() }

// Busy returns the current activity. A compaction within a run counts as the run.
func (a *Conversation) Busy() Activity { return a.activity.kind() }

// Abort ends the current activity without waiting for it. The method that it
// aborted returns an error that matches [ErrAborted]. Queued messages stay queued.
func (a *Conversation) Abort() { a.activity.abort() }

// Wait returns when the conversation is idle or ctx ends.
func (a *Conversation) Wait(ctx context.Context) error { return a.activity.wait(ctx) }

// Subscribe calls f with every event from now on, until cancel is called.
//
// Events arrive in order, one at a time. A method that takes a context returns when
// f has received its events, so f must not call such a method or Close; it may
// start a goroutine for that. Abort, Steer, FollowUp and getters are safe. A slow f
// delays other subscribers and lets events pile up in memory.
func (a *Conversation) Subscribe(f func(Event)) (cancel func()) { return a.events.subscribe(f) }

// Close aborts the current activity, runs the Shutdown hooks and closes the
// session. It drops queued messages. Every call returns when the session is
// closed, with the same error.
func (a *Conversation) Close() error {
	if a.activity.close() {
		a.closeErr = a.close()
		close(a.closed)
	}
	<-a.closed
	return a.closeErr
}

func (a *Conversation) close() error {
	ctx := context.Background()
	_ = a.Wait(ctx) // cannot fail
	a.own.Wait()
	s := a.Session()
	a.hooks.shutdown(ctx, SwitchEvent{Session: s, Reason: ReasonQuit})
	err := errors.Join(a.recorder.flush(ctx, anyMessage), s.Close())
	a.events.close()
	return err
}

// SetName sets the display name of the session; "" clears it.
func (a *Conversation) SetName(ctx context.Context, name string) error {
	_, err := a.Session().SetName(ctx, name)
	if err := a.recorder.settled(err); err != nil {
		return err
	}
	a.hooks.tellName(a.Session(), true)
	return nil
}

// end makes the session idle again and emits last, which may be nil. Receivers
// of last find the session idle, and later events follow it.
func (a *Conversation) end(ctx context.Context, w *work, last Event) {
	a.lockSettled(ctx, w, last)
	a.activity.Unlock()
}

// endAndDeliver is like end, but immediately starts a run if messages are
// queued (pitfalls 83, 115).
func (a *Conversation) endAndDeliver(ctx context.Context, w *work, last Event) {
	a.lockSettled(ctx, w, last)
	defer a.activity.Unlock()
	a.deliverLocked()
}

// lockSettled ends an activity and leaves the activities locked. A message
// recorded from then on finds the session idle.
func (a *Conversation) lockSettled(ctx context.Context, w *work, last Event) {
	if err := a.lockFlushed(ctx); err != nil {
		a.events.emit(&Problem{Err: err})
	}
	w.cancel()
	a.activity.endLocked()
	if last != nil {
		a.events.emit(last)
	}
}

// lockFlushed locks the activities once no recorded messages are waiting.
// Messages that cannot be written, which is the error, or that arrive faster
// than they can be written stay queued.
func (a *Conversation) lockFlushed(ctx context.Context) error {
	for range attempts {
		err := a.recorder.flush(ctx, anyMessage)
		a.activity.Lock()
		if err != nil || a.recorder.waiting.empty() {
			return err
		}
		a.activity.Unlock()
	}
	a.activity.Lock()
	return nil
}

// deliver starts a run for queued messages, unless an activity is in progress.
func (a *Conversation) deliver() {
	a.activity.Lock()
	defer a.activity.Unlock()
	a.deliverLocked()
}

func (a *Conversation) deliverLocked() {
	if a.queues.empty() {
		return
	}
	ctx, w, err := a.activity.beginLocked(context.Background(), ActivityRunning) // Close aborts it
	if err != nil {
		return // the current activity will deliver them
	}
	a.own.Go(func() { _, _ = a.run(ctx, w, nil) }) // reported by Settled
}
