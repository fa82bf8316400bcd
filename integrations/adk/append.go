package adksession

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/adk/v2/platform"
	"google.golang.org/adk/v2/session"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
)

// A ConflictPolicy determines where an event is appended if others have written
// to the session since the handle last saw it. None of them loses an event.
type ConflictPolicy uint8

const (
	// Follow appends the event after the entries of others.
	Follow ConflictPolicy = iota
	// Branch appends the event to the last one that the handle has seen, next
	// to the entries of others. The session's leaf is then on the new branch.
	Branch
	// Refuse returns a *StaleError, as ADK's database service refuses stale sessions.
	Refuse
)

// A StaleError means that others have written to a session since its handle was
// made, and that nothing was appended. Get the session again and append to
// that.
type StaleError struct{ SessionID string }

func (e *StaleError) Error() string {
	return fmt.Sprintf("stale session error: session %s was changed by another writer", e.SessionID)
}

// entryID returns an id that is unique without knowing the others.
func entryID() string {
	var b [10]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// scoped reports whether a key of a state is not the session's own.
func scoped(k string) bool {
	return strings.HasPrefix(k, session.KeyPrefixApp) || strings.HasPrefix(k, session.KeyPrefixUser) || strings.HasPrefix(k, session.KeyPrefixTemp)
}

// withoutTemp returns the event as it is stored.
func withoutTemp(e *session.Event) *session.Event {
	kept := make(map[string]any, len(e.Actions.StateDelta))
	for k, v := range e.Actions.StateDelta {
		if !strings.HasPrefix(k, session.KeyPrefixTemp) {
			kept[k] = v
		}
	}
	if len(kept) == len(e.Actions.StateDelta) {
		return e
	}
	out := *e
	out.Actions.StateDelta = kept
	return &out
}

// AppendEvent stores an event and adds it to the given session. A partial event
// is only added, until the next complete one. If the error is not nil and not a
// *[SharedStateError], nothing was stored, unless the error of the store means
// that this is unknown.
func (s *Service) AppendEvent(ctx context.Context, sess session.Session, event *session.Event) error {
	if sess == nil {
		return errors.New("session is nil")
	}
	if event == nil {
		return errors.New("event is nil")
	}
	h, _ := sess.(*handle)
	if event.Partial {
		if h != nil {
			h.show(event)
		}
		return nil
	}
	k := keyOf(sess)
	if err := k.check(); err != nil {
		return err
	}
	stored := withoutTemp(event)
	a, err := newAddition(ctx, stored)
	if err != nil {
		return err
	}
	leaf, err := s.appendTo(ctx, k, h, a)
	if err != nil {
		return err
	}
	if h != nil {
		h.add(event, stored, leaf)
	}
	return s.share(ctx, k, a.delta)
}

type addition struct {
	event    json.RawMessage
	messages []format.Message
	delta    scopes
	at       time.Time // of the entries
	stamp    time.Time // of the event
}

func newAddition(ctx context.Context, e *session.Event) (*addition, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.ID, err)
	}
	a := &addition{event: raw, at: e.Timestamp, stamp: e.Timestamp}
	if a.delta, err = split(e.Actions.StateDelta); err != nil {
		return nil, fmt.Errorf("event %s: %w", e.ID, err)
	}
	if a.at.IsZero() {
		a.at = platform.Now(ctx)
	}
	a.messages = messages(e, a.at)
	return a, nil
}

// A record is the data of an event in an entry.
type record struct {
	Event json.RawMessage `json:"event,omitempty"`
	// State is the whole state of the session at this entry, if it is included.
	State *values `json:"state,omitempty"`
}

// Whole states are written if they are small, and otherwise once in wholeEvery
// events.
const (
	wholeEvery = 32
	smallState = 256
)

// place puts the addition below an entry and returns its lines.
func (a *addition) place(parent tip, before values) (lines []byte, end tip, state values, err error) {
	end = tip{leaf: parent.leaf, since: parent.since + 1, updated: a.stamp}
	state = before.with(a.delta.session)
	rec := record{Event: a.event}
	if end.since >= wholeEvery || len(a.delta.session) > 0 && state.size() <= smallState {
		rec.State, end.since = &state, 0
		if state == nil {
			rec.State = &values{}
		}
	}
	raw, err := json.Marshal(rec)
	if err != nil {
		return nil, end, nil, err
	}
	base := func() format.Base {
		b := format.Base{ID: entryID(), ParentID: end.leaf, Timestamp: format.FormatTime(a.at)}
		end.leaf = b.ID
		return b
	}
	for i, m := range a.messages {
		text := format.AppendMessage(nil, m)
		if i == len(a.messages)-1 {
			text = jsonl.Set(text, recordKey, raw)
		}
		if m, err = format.DecodeMessage(text); err != nil {
			return nil, end, nil, err
		}
		lines = append(format.AppendEntry(lines, &format.MessageEntry{Base: base(), Message: m}), '\n')
	}
	if len(a.messages) == 0 {
		lines = append(format.AppendEntry(lines, &format.Custom{Base: base(), CustomType: eventType, Data: raw}), '\n')
	}
	return lines, end, state, nil
}

func (v values) size() (n int) {
	for k, raw := range v {
		n += len(k) + len(raw)
	}
	return n
}

func (s *Service) appendTo(ctx context.Context, k key, h *handle, a *addition) (leaf string, err error) {
	c, err := s.acquire(ctx, s.sessionName(k))
	if err != nil {
		return "", err
	}
	defer s.release(c)
	fresh := false // c was compared with the log
	for {
		if !c.loaded || c.log == nil {
			if err := c.refresh(ctx); err != nil {
				return "", k.found(err)
			}
			fresh = true
		}
		parent, state := c.tip, c.state
		if s.policy != Follow && h != nil && h.standsAt() != c.leaf {
			if !fresh {
				if err := c.refresh(ctx); err != nil {
					return "", k.found(err)
				}
				fresh = true
				continue
			}
			if s.policy == Refuse {
				return "", &StaleError{k.ID}
			}
			if parent, state, err = c.tipAt(ctx, h.standsAt()); err != nil {
				return "", err
			}
		}
		lines, end, after, err := a.place(parent, state)
		if err != nil {
			return "", err
		}
		written, err := c.put(ctx, lines)
		if err != nil {
			return "", k.found(err)
		}
		if written {
			if c.loaded {
				c.tip, c.state = end, after
			}
			return end.leaf, nil
		}
		fresh = true
	}
}

// put appends lines to the log. If others were faster, it writes nothing, reads
// their entries and returns false.
func (c *conversation) put(ctx context.Context, lines []byte) (written bool, err error) {
	if c.torn {
		lines = append([]byte{'\n'}, lines...)
	}
	at, err := c.log.Append(ctx, c.size, lines)
	switch {
	case err == nil && at == c.size:
		c.size, c.torn = c.size+int64(len(lines)), false
		c.keep(lines)
		return true, nil
	case err == nil: // a writer without locks came in between
		c.forget()
		return true, nil
	case errors.Is(err, store.ErrConflict):
		return false, c.refresh(ctx)
	case errors.Is(err, store.ErrGone):
		c.forget()
		return false, c.refresh(ctx)
	}
	c.forget()
	return false, err
}

// tipAt returns the tip of the path that ends with an entry, and the state
// there.
func (c *conversation) tipAt(ctx context.Context, id string) (tip, values, error) {
	w := c.walk(ctx)
	w.next = id
	state, since, updated, err := w.fold(c.tip, c.state)
	return tip{id, since, updated}, state, err
}
