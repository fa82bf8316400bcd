package adksession

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/adk/v2/session"
)

// A handle is the session.Session that the service returns: a copy as of its
// creation, to which events appended through it are added.
type handle struct {
	key

	mu         sync.Mutex // guards the fields below
	events     []*session.Event
	partial    int            // number of partial events at the end of events
	encoded    scopes         // the state until it is first used
	state      map[string]any // use values
	invocation string         // invocation that set the temporary keys of state
	updated    time.Time
	leaf       string // last entry that this handle has seen
}

func (h *handle) ID() string      { return h.key.ID }
func (h *handle) AppName() string { return h.App }
func (h *handle) UserID() string  { return h.User }

func (h *handle) State() session.State { return (*handleState)(h) }

func (h *handle) Events() session.Events {
	h.mu.Lock()
	defer h.mu.Unlock()
	return events(h.events[:len(h.events):len(h.events)])
}

func (h *handle) LastUpdateTime() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.updated
}

func (h *handle) standsAt() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.leaf
}

// values returns the state and decodes it on the first call. The caller must
// hold mu. encoded was decoded before without an error.
func (h *handle) values() map[string]any {
	if h.state == nil {
		h.state, _ = h.encoded.decode()
		h.encoded = scopes{}
	}
	return h.state
}

// show adds a partial event, which the next complete event replaces.
func (h *handle) show(e *session.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events[:len(h.events):len(h.events)], e)
	h.partial++
}

// add adds a stored event. The temporary state of an earlier invocation ends.
func (h *handle) add(e, stored *session.Event, leaf string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.InvocationID != h.invocation {
		maps.DeleteFunc(h.values(), func(k string, _ any) bool { return strings.HasPrefix(k, session.KeyPrefixTemp) })
		h.invocation = e.InvocationID
	}
	maps.Copy(h.values(), e.Actions.StateDelta)
	kept := h.events[:len(h.events)-h.partial]
	h.events = append(slices.Clip(kept), stored)
	h.partial, h.updated, h.leaf = 0, e.Timestamp, leaf
}

// become makes the handle equal to another one of the same session.
func (h *handle) become(o *handle) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events, h.partial, h.updated, h.leaf = o.events, 0, o.updated, o.leaf
	clear(h.values())
	maps.Copy(h.values(), o.values())
}

type events []*session.Event

func (e events) All() iter.Seq[*session.Event] { return slices.Values(e) }
func (e events) Len() int                      { return len(e) }

func (e events) At(i int) *session.Event {
	if i < 0 || i >= len(e) {
		return nil
	}
	return e[i]
}

type handleState handle

func (s *handleState) Get(k string) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := (*handle)(s).values()[k]
	if !ok {
		return nil, session.ErrStateKeyNotExist
	}
	return v, nil
}

func (s *handleState) Set(k string, v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	(*handle)(s).values()[k] = v
	return nil
}

func (s *handleState) All() iter.Seq2[string, any] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.All(maps.Clone((*handle)(s).values()))
}
