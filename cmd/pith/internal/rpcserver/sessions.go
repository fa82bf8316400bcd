package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/pith-sessions/pith"
)

// A handle is a client's name for an open session. The session that it stands
// for can change.
type handle struct {
	name    string
	session *pith.Session
	opt     pith.Options // for the sessions that take its place
	live    *live        // the conversation in it; nil before there is one
}

// sessions are the open sessions of a client. Handles are s1, s2 and so on, and
// none is given out twice.
type sessions struct {
	open map[string]*handle
	last int
}

// add gives a session its handle.
func (t *sessions) add(s *pith.Session, o pith.Options) *handle {
	if t.open == nil {
		t.open = map[string]*handle{}
	}
	t.last++
	h := &handle{name: handleName(t.last), session: s, opt: o}
	t.open[h.name] = h
	return h
}

func handleName(n int) string { return "s" + strconv.Itoa(n) }

// find is the open handle of that name. The error tells one that was closed
// from one that never was.
func (t *sessions) find(name string) (*handle, error) {
	if h, ok := t.open[name]; ok {
		return h, nil
	}
	if len(name) > 1 {
		if n, err := strconv.Atoi(name[1:]); err == nil && n <= t.last && n > 0 && handleName(n) == name {
			return nil, fmt.Errorf("session handle %q: %w", name, pith.ErrClosed)
		}
	}
	return nil, fmt.Errorf("%w: %q", errUnknownSession, name)
}

// forget ends the use of a handle. Its session stays open.
func (t *sessions) forget(h *handle) { delete(t.open, h.name) }

// end closes the session, and the conversation in it.
func (h *handle) end() error {
	if l := h.live; l != nil {
		h.live = nil
		return l.conv.Close()
	}
	return h.session.Close()
}

// settle waits for what conversations do by themselves: to send what was queued.
func (t *sessions) settle(ctx context.Context) {
	for _, h := range t.open {
		if h.live != nil {
			_ = h.live.conv.Wait(ctx) // then closing aborts it
		}
	}
}

// closeAll closes what is open, in the order in which it was opened.
func (t *sessions) closeAll() error {
	var errs []error
	for n := 1; n <= t.last; n++ {
		if h, ok := t.open[handleName(n)]; ok {
			errs = append(errs, t.closeSafely(h))
		}
	}
	return errors.Join(errs...)
}

// closeSafely closes a session in such a way that a fault in one does not keep
// the others open.
func (t *sessions) closeSafely(h *handle) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("close session %s: internal error: %v", h.name, p)
		}
	}()
	t.forget(h) // also when closing its session fails
	return h.end()
}

// replace makes a handle stand for another session and closes the one before.
func (h *handle) replace(s *pith.Session) error {
	err := h.end()
	h.session = s
	if err != nil {
		return fmt.Errorf("the handle stands for the new session, but the one before was not closed well: %w", err)
	}
	return nil
}
