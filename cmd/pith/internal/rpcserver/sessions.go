package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
)

// A handle is a client's name for an open session. Its session can change. Only
// the jobs in its queue use the fields below it, until the server ends.
type handle struct {
	name  string
	queue queue

	session *pith.Session // nil before it is open and after it was closed
	closed  bool
	opt     pith.Options // for sessions that replace it
	live    *live        // nil before a conversation starts
}

// sessions holds the handles of a client: s1, s2 and so on. Names are never
// reused.
type sessions struct {
	mu   sync.Mutex // guards all below
	all  []*handle
	open int
}

// maxOpen is how many sessions a client may have open at the same time.
const maxOpen = 1000

// errTooMany means that a client has opened maxOpen sessions.
var errTooMany = fmt.Errorf("%w: %d; close one first", ops.ErrTooMany, maxOpen)

// add returns the next handle. The first job in its queue opens its session.
func (t *sessions) add() (*handle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == maxOpen {
		return nil, errTooMany
	}
	t.open++
	h := &handle{name: "s" + strconv.Itoa(len(t.all)+1)}
	t.all = append(t.all, h)
	return h, nil
}

// drop makes room for another session: one was closed, or could not be opened.
func (t *sessions) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open--
}

func (t *sessions) find(name string) (*handle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(name) > 1 {
		if n, err := strconv.Atoi(name[1:]); err == nil && n > 0 && n <= len(t.all) && t.all[n-1].name == name {
			return t.all[n-1], nil
		}
	}
	return nil, fmt.Errorf("%w: %q", ops.ErrUnknownSession, shortened(name))
}

// missing returns the error of a handle without a session.
func (h *handle) missing() error {
	if h.closed {
		return fmt.Errorf("session handle %q: %w", h.name, pith.ErrClosed)
	}
	return fmt.Errorf("%w: %q", ops.ErrUnknownSession, h.name)
}

// leave closes the handle and returns the function that closes its session.
// Unlike the end of the input, that function asks the client's session_shutdown
// hook.
func (h *handle) leave() (end func() error) {
	if h.live != nil {
		h.live.closing.Store(true)
	}
	closing := handle{session: h.session, live: h.live}
	h.closed, h.session, h.live = true, nil, nil
	return closing.end
}

// end closes the session and its conversation.
func (h *handle) end() error {
	if l := h.live; l != nil {
		h.live = nil
		return l.conv.Close()
	}
	return h.session.Close()
}

// settle waits until conversations have sent their queued messages.
func (t *sessions) settle(ctx context.Context) {
	for _, h := range t.all {
		if h.live != nil {
			_ = h.live.conv.Wait(ctx) // if it fails, closing aborts it
		}
	}
}

// closeAll closes the open sessions in the order in which they were opened. No
// job may be running.
func (t *sessions) closeAll() error {
	var errs []error
	for _, h := range t.all {
		if h.session != nil {
			errs = append(errs, h.closeSafely())
		}
	}
	return errors.Join(errs...)
}

// closeSafely closes a session and recovers from a panic, so that the others
// are still closed.
func (h *handle) closeSafely() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("close session %s: internal error: %v", h.name, p)
		}
	}()
	return h.end()
}

// replace assigns another session to a handle and closes the previous one.
func (h *handle) replace(s *pith.Session) error {
	err := h.end()
	h.session = s
	if err != nil {
		return fmt.Errorf("the handle now refers to the new session, but the previous one could not be closed: %w", err)
	}
	return nil
}

// A queue runs jobs one after another. The zero queue is empty.
type queue struct {
	mu      sync.Mutex // guards all below
	jobs    []func()
	running bool
}

// add appends a job. start must call its argument in a new goroutine.
func (q *queue) add(start func(func()), job func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, job)
	if !q.running {
		q.running = true
		start(q.run)
	}
}

// run runs the jobs until there are none.
func (q *queue) run() {
	for {
		q.mu.Lock()
		if len(q.jobs) == 0 {
			q.running = false
			q.mu.Unlock()
			return
		}
		job := q.jobs[0]
		q.jobs = q.jobs[1:]
		q.mu.Unlock()
		job()
	}
}
