package adksession

import (
	"context"
	"fmt"
	"slices"

	"google.golang.org/adk/v2/platform"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// An EventError means that a session has no event with that id on its path.
type EventError struct{ SessionID, EventID string }

func (e *EventError) Error() string {
	return fmt.Sprintf("session %s has no event %q on its current path", e.SessionID, e.EventID)
}

// seek walks to the entry that completes an event, or to the first entry for
// "".
func (w *walk) seek(k key, event string) (entry, error) {
	for {
		e, ok, err := w.step()
		if err != nil {
			return entry{}, err
		}
		if !ok {
			return entry{}, &EventError{k.ID, event}
		}
		raw := e.event()
		if event == "" && e.record != nil && raw == nil || event != "" && raw != nil && jsonl.LookupString(raw, "id") == event {
			return e, nil
		}
	}
}

func keyOf(sess session.Session) key { return key{sess.AppName(), sess.UserID(), sess.ID()} }

// Fork creates a new session from the conversation up to and including an
// event; "" means before the first one. State is as it was there. The new
// session belongs to the same user and has an id of its own. The original
// session is not changed.
func (s *Service) Fork(ctx context.Context, sess session.Session, eventID string) (session.Session, error) {
	k := keyOf(sess)
	if err := k.check(); err != nil {
		return nil, err
	}
	fork := key{k.App, k.User, platform.NewUUID(ctx)}
	if err := s.fork(ctx, k, fork, eventID); err != nil {
		return nil, err
	}
	return s.get(ctx, fork, filter{})
}

func (s *Service) fork(ctx context.Context, k, to key, eventID string) error {
	c, err := s.acquire(ctx, s.sessionName(k))
	if err != nil {
		return err
	}
	defer s.release(c)
	if err := c.refresh(ctx); err != nil {
		return k.found(err)
	}
	w := c.walk(ctx)
	e, err := w.seek(k, eventID)
	var path [][]byte
	for ok := true; err == nil && e.parent != ""; e, ok, err = w.step() {
		if !ok {
			return format.ErrNotSession
		}
		path = append(path, e.line)
	}
	if err != nil {
		return err
	}
	state, _, err := e.whole() // e is the first entry
	if err != nil {
		return err
	}
	var lines []byte
	for _, line := range slices.Backward(path) {
		lines = append(append(lines, line...), '\n')
	}
	return s.found(ctx, founding{to, platform.Now(ctx), state}, e.id, c.name, lines)
}

// Rewind goes back to an event: it becomes the last one, and the state of the
// session is as it was there; "" means before the first one. "app:" and "user:"
// state stays. Later events stay in the log as a branch. The given session is
// updated.
func (s *Service) Rewind(ctx context.Context, sess session.Session, eventID string) error {
	k := keyOf(sess)
	err := s.extend(ctx, k, func(c *conversation, base format.Base) (format.Entry, error) {
		e, err := c.walk(ctx).seek(k, eventID)
		if err != nil {
			return nil, err
		}
		base.ParentID = e.id
		return &format.Custom{Base: base, CustomType: format.LeafCustomType, Data: format.LeafData(e.id)}, nil
	})
	if err != nil {
		return err
	}
	return s.renew(ctx, sess)
}

// extend appends one entry that is not an event. build is called with a base
// below the leaf.
func (s *Service) extend(ctx context.Context, k key, build func(*conversation, format.Base) (format.Entry, error)) error {
	if err := k.check(); err != nil {
		return err
	}
	c, err := s.acquire(ctx, s.sessionName(k))
	if err != nil {
		return err
	}
	defer s.release(c)
	for {
		if err := c.refresh(ctx); err != nil {
			return k.found(err)
		}
		e, err := build(c, format.Base{ID: entryID(), ParentID: c.leaf, Timestamp: format.FormatTime(platform.Now(ctx))})
		if err != nil {
			return err
		}
		written, err := c.put(ctx, append(format.AppendEntry(nil, e), '\n'))
		if err != nil || written {
			c.forget() // the leaf is determined again
			return k.found(err)
		}
	}
}

func (s *Service) renew(ctx context.Context, sess session.Session) error {
	h, ok := sess.(*handle)
	if !ok {
		return nil
	}
	now, err := s.get(ctx, h.key, filter{})
	if err == nil {
		h.become(now)
	}
	return err
}

// A Summarizer summarizes events that are to be left out.
type Summarizer func(ctx context.Context, events []*session.Event) (string, error)

// Compact replaces all but the last keep events by a summary, for the agent:
// the events that Get returns start with it, as a user message. State does not
// change, and the events stay in the log. A tool call and its result are kept
// or left out together: if the first kept event would be a result, more are
// kept. If nothing is to be left out, Compact does nothing.
func (s *Service) Compact(ctx context.Context, sess session.Session, keep int, summarize Summarizer) error {
	k := keyOf(sess)
	if err := k.check(); err != nil {
		return err
	}
	h, err := s.get(ctx, k, filter{})
	if err != nil {
		return err
	}
	cut := max(0, len(h.events)-max(0, keep))
	for cut > 0 && cut < len(h.events) && hasResult(h.events[cut]) {
		cut--
	}
	if cut == 0 {
		return nil
	}
	summary, err := summarize(ctx, h.events[:cut])
	if err != nil {
		return err
	}
	err = s.extend(ctx, k, func(c *conversation, base format.Base) (format.Entry, error) {
		out := &format.Compaction{Base: base, Summary: summary, FirstKeptEntryID: base.ID}
		if cut == len(h.events) {
			if c.leaf != h.leaf {
				return nil, &StaleError{k.ID}
			}
			return out, nil
		}
		first, err := c.firstLine(ctx, k, h.events[cut].ID)
		out.FirstKeptEntryID = first
		return out, err
	})
	if err != nil {
		return err
	}
	return s.renew(ctx, sess)
}

func hasResult(e *session.Event) bool {
	return e.Content != nil && slices.ContainsFunc(e.Content.Parts, func(p *genai.Part) bool { return p != nil && p.FunctionResponse != nil })
}

// firstLine returns the id of the first of the entries that an event was
// written as.
func (c *conversation) firstLine(ctx context.Context, k key, event string) (string, error) {
	w := c.walk(ctx)
	e, err := w.seek(k, event)
	for err == nil {
		var before entry
		var ok bool
		before, ok, err = w.step()
		if !ok || err != nil || before.kind != format.TypeMessage || before.record != nil {
			return e.id, err
		}
		e = before
	}
	return "", err
}

// summaryOf returns the event that replaces the events that a compaction left
// out, and the first entry that it kept.
func summaryOf(e entry) (_ *session.Event, firstKept string) {
	at, _ := format.ParseTime(jsonl.LookupString(e.line, "timestamp"))
	out := &session.Event{ID: e.id, Author: "user", Timestamp: at}
	out.Content = genai.NewContentFromText(jsonl.LookupString(e.line, "summary"), genai.RoleUser)
	return out, jsonl.LookupString(e.line, "firstKeptEntryId")
}

// History returns every event on the current path of a session, including those
// that compactions left out.
func (s *Service) History(ctx context.Context, sess session.Session) ([]*session.Event, error) {
	k := keyOf(sess)
	if err := k.check(); err != nil {
		return nil, err
	}
	h, _, err := s.read(ctx, k, filter{whole: true})
	if err != nil {
		return nil, err
	}
	return h.events, nil
}
