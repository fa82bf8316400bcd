package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/pith-sessions/pith"
)

// A Conversation is a live conversation. It may be used by several goroutines at once.
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
	own       sync.WaitGroup // runs that the conversation began by itself
	closed    chan struct{}  // closed when Close is done
	closeErr  error          // the result of Close; set before closed is closed
}

// Session is the session in which the conversation is held. Others may take its
// place: see [Switched].
func (a *Conversation) Session() *pith.Session { return a.recorder.session() }

// Busy says what is going on. A compaction within a run counts as the run.
func (a *Conversation) Busy() Activity { return a.activity.kind() }

// Abort ends what is going on, if anything is. It does not wait: what it ended
// returns an error that matches [ErrAborted]. Messages that are queued stay so.
func (a *Conversation) Abort() { a.activity.abort() }

// Wait returns when nothing is going on, or when ctx ends.
func (a *Conversation) Wait(ctx context.Context) error { return a.activity.wait(ctx) }

// Subscribe has every event from now on told to f, until cancel is called.
//
// Events come in the order in which things happened, one at a time. The session
// does not wait for f while it works, only at the end: a method that takes a
// context returns when its events have been told. So f must not call such a
// method itself, nor Close: start a goroutine for that. Abort, Steer, FollowUp
// and the methods that only look are safe. An f that is slow delays other
// subscribers and lets events pile up in memory.
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
	a.hooks.shutdown(ctx, ShutdownEvent{Session: s, Reason: ReasonQuit})
	err := errors.Join(a.recorder.flush(anyMessage), s.Close())
	a.events.close()
	return err
}

// SetName gives the session a display name; "" clears it.
func (a *Conversation) SetName(name string) error {
	_, err := a.Session().SetName(context.TODO(), name)
	if err := a.recorder.settled(err); err != nil {
		return err
	}
	a.TellName()
	return nil
}

// TellName tells subscribers and hooks the display name. It is for callers that
// changed it in [Conversation.Session] themselves; what a hook changes is told anyway.
func (a *Conversation) TellName() { a.hooks.tellName(a.Session(), true) }

// end makes the session idle again and tells last, which may be nil. Whoever
// hears it finds the session idle, and events of what comes next follow it.
func (a *Conversation) end(w *work, last Event) {
	a.lockSettled(w, last)
	a.activity.Unlock()
}

// endAndDeliver is end, but if messages are queued a run that sends them follows
// at once (pitfalls 83, 115).
func (a *Conversation) endAndDeliver(w *work, last Event) {
	a.lockSettled(w, last)
	defer a.activity.Unlock()
	a.deliverLocked()
}

// lockSettled ends an activity and leaves the activities locked: whoever records a
// message from then on finds the session idle.
func (a *Conversation) lockSettled(w *work, last Event) {
	w.cancel()
	if err := a.lockFlushed(); err != nil {
		a.events.emit(&Problem{err})
	}
	a.activity.endLocked()
	if last != nil {
		a.events.emit(last)
	}
}

// lockFlushed locks the activities when no recorded message waits any more.
// Messages that cannot be written, which is the error, or that come faster than
// they can be, wait for the next occasion.
func (a *Conversation) lockFlushed() error {
	for range attempts {
		err := a.recorder.flush(anyMessage)
		a.activity.Lock()
		if err != nil || a.recorder.waiting.empty() {
			return err
		}
		a.activity.Unlock()
	}
	a.activity.Lock()
	return nil
}

// deliver starts a run for what is queued, unless something is going on.
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
		return // whatever is going on will deliver it
	}
	a.own.Go(func() { _, _ = a.run(ctx, w, nil) }) // told by Settled
}
