package adksession

import (
	"container/list"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/pith-sessions/pith/store"
)

// A conversation is an open log, with cached data about its end. The caller of
// acquire owns its fields until release.
type conversation struct {
	name  string
	store store.Store
	lock  chan struct{} // contains one token; receiving it acquires the conversation

	log    store.Log // nil if it is not open
	loaded bool      // the fields below describe the log
	size   int64
	torn   bool   // the log does not end with a line feed
	tail   []byte // its last bytes
	tip
	state values // session state at the leaf; for a log of shared state, the shared state

	users int           // guarded by Service.mu
	place *list.Element // guarded by Service.mu
}

// A tip is the end of the path to the leaf.
type tip struct {
	leaf    string    // entry id
	since   int       // events on the path since one with the whole state
	updated time.Time // of the last event, or of the creation of the session
}

const (
	mostOpen = 256       // maximum number of unused open logs
	mostTail = 256 << 10 // maximum number of cached bytes of a log's end
	minTail  = 64 << 10
)

// acquire gives the caller exclusive use of a conversation. Waiting ends with
// the context.
func (s *Service) acquire(ctx context.Context, name string) (*conversation, error) {
	s.mu.Lock()
	c := s.open[name]
	if c == nil {
		c = &conversation{name: name, store: s.store, lock: make(chan struct{}, 1)}
		c.lock <- struct{}{}
		c.place = s.recent.PushFront(c)
		s.open[name] = c
	}
	c.users++
	s.recent.MoveToFront(c.place)
	s.mu.Unlock()
	select {
	case <-c.lock:
		return c, nil
	case <-ctx.Done():
		s.leave(c)
		return nil, ctx.Err()
	}
}

// release ends the exclusive use.
func (s *Service) release(c *conversation) {
	c.lock <- struct{}{}
	s.leave(c)
}

// leave closes the least recently used logs beyond mostOpen.
func (s *Service) leave(c *conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.users--
	for e := s.recent.Back(); e != nil && s.recent.Len() > mostOpen; {
		old, before := e.Value.(*conversation), e.Prev()
		if old.users == 0 {
			old.forget()
			s.recent.Remove(e)
			delete(s.open, old.name)
		}
		e = before
	}
}

// forget closes the log: the next use opens and reads it again.
func (c *conversation) forget() {
	if c.log != nil {
		c.log.Close() // it has no buffered data
	}
	c.log, c.loaded, c.tail, c.state, c.torn, c.size, c.tip = nil, false, nil, nil, false, 0, tip{}
}

// currentSize opens the log if necessary and returns its current length.
func (c *conversation) currentSize(ctx context.Context) (int64, error) {
	for {
		if c.log == nil {
			log, err := c.store.Open(ctx, c.name)
			if err != nil {
				return 0, err
			}
			c.log = log
		}
		size, err := c.log.Size(ctx)
		if err == nil {
			return size, nil
		}
		c.forget()
		if !errors.Is(err, store.ErrGone) {
			return 0, err
		}
	}
}

// refresh updates the cached data about the log's end.
func (c *conversation) refresh(ctx context.Context) error {
	size, err := c.currentSize(ctx)
	if err != nil || c.loaded && size == c.size {
		return err
	}
	known, state := c.tip, c.state
	if grown := size - c.size; c.loaded && grown > 0 && grown < mostTail && !c.torn {
		more := make([]byte, grown)
		if err := readAt(ctx, c.log, more, c.size); err != nil {
			c.forget()
			return err
		}
		c.keep(more)
	} else {
		c.tail = nil
	}
	c.size, c.loaded = size, false
	w := c.walk(ctx)
	if err := w.stand(); err != nil {
		c.forget()
		return err
	}
	c.leaf = w.next
	c.state, c.since, c.updated, err = w.fold(known, state)
	if err != nil {
		c.forget()
		return err
	}
	c.tail, c.torn, c.loaded = w.keep(), w.torn(), true
	return nil
}

func (c *conversation) keep(more []byte) {
	c.tail = append(c.tail, more...)
	if len(c.tail) > mostTail {
		c.tail = slices.Clone(c.tail[len(c.tail)-minTail:])
	}
}

// readAt fills p from an offset of a log.
func readAt(ctx context.Context, log store.Log, p []byte, off int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var n int
	var err error
	if slow, ok := log.(store.ContextReader); ok {
		n, err = slow.ReadAtContext(ctx, p, off)
	} else {
		n, err = log.ReadAt(p, off)
	}
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
