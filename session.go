package pith

import (
	"context"
	"sync"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// A Session is one conversation tree and its leaf. It is safe for concurrent
// use.
//
// The pen is held while the journal reads or writes. mu guards the position and
// closed; it is held only briefly and never during I/O, so no other method waits
// for a file. With the pen alone, seen and closed may be read.
type Session struct {
	place
	pen     chan struct{} // full while held
	journal *journal.Journal

	mu sync.Mutex
	position
	closed bool

	check heldCheck // needs the pen
}

// A position is a leaf and what its session knows of the log.
type position struct {
	seen    *journal.State // that of the journal, except while that writes
	written bool           // the session has a file
	leaf    int
	moved   bool        // the leaf was moved and nothing appended since
	moves   int         // how often the caller moved the leaf
	stale   *StaleError // changes by others that the caller has not decided about
}

// A heldCheck is when held last found no other program, and the last entry then
// or the last entry written since.
type heldCheck struct {
	at  time.Time
	own int
}

// newSession returns the session of a journal.
func newSession(j *journal.Journal, o Options) *Session {
	s := &Session{pen: make(chan struct{}, 1), journal: j, place: place{opt: o, store: o.keeper()}}
	s.seen, s.written = j.Current(), !j.Draft()
	s.leaf, s.cwd = s.seen.Resume(), s.seen.Header.Cwd
	j.Now, j.Sync = o.now, o.Sync && o.Store != nil // the default store syncs by itself
	return s
}

// takePen waits until no other goroutine reads or writes the file. The caller
// must call dropPen.
func (s *Session) takePen(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.pen <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) dropPen() { <-s.pen }

// View returns a snapshot of the session.
func (s *Session) View() *View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view()
}

// view is View for callers that hold mu.
func (s *Session) view() *View { return &View{&s.place, s.seen, s.leaf} }

// Context returns the context at the leaf.
func (s *Session) Context() (*Context, error) { return s.View().Context("") }

// Entry returns the entry with that id. If several have it, Entry returns the
// last one in the file.
func (s *Session) Entry(id string) (format.Entry, error) {
	s.mu.Lock()
	v, closed := s.view(), s.closed
	s.mu.Unlock()
	i, err := v.Find(id)
	if err == nil && closed {
		err = s.wrap("read", ErrClosed)
	}
	if err != nil {
		return nil, err
	}
	return v.Entry(i)
}

// Findings returns the problems in the session's file, with their locations in
// the file on disk, in file order.
func (s *Session) Findings() []Finding {
	var out []Finding
	for _, f := range s.View().state.Findings() {
		out = append(out, Finding(f))
	}
	return out
}

// ID returns the session's id.
func (s *Session) ID() string { return s.View().state.Header.ID }

// Header returns a copy of the session's header.
func (s *Session) Header() *format.Header { return s.View().state.Header.Clone() }

// File returns the path of the session's file, which may not exist yet, or ""
// for a session in memory.
func (s *Session) File() string { return s.file }

// Dir returns the directory in which sessions derived from this one are
// created.
func (s *Session) Dir() string { return s.dir }

// Cwd returns the working directory of the session.
func (s *Session) Cwd() string { return s.cwd }

// Persisted reports whether the session is stored outside memory.
func (s *Session) Persisted() bool { return s.file != "" }

// Written reports whether the session's file exists. It is created with the
// first user or assistant message.
func (s *Session) Written() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written
}

// Name returns the display name: the last one set anywhere in the file, or ""
// if there is none or it was cleared. In an oh-my-pi file, and if no entry
// names the session, it returns the title that oh-my-pi stores.
func (s *Session) Name() string { return s.View().name() }

// NeedsMigration reports whether the file is of an old version that the next
// append or Migrate will replace.
func (s *Session) NeedsMigration() bool { return s.View().state.Old != nil }
