package pith

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Options configure Create, Open and related functions. The zero value behaves
// like pi, except that an append does not silently continue after another
// program has written: see OnConflict.
type Options struct {
	// Dir is the directory for session files. It is used as is, without a
	// subdirectory for the project. Empty means the directory that pi uses: see
	// [sessiondir.Environment.Place].
	Dir string
	// ID is the id of a new session. Empty means a new UUID. If the project
	// already has a session with that id in the same directory, the append that
	// would create the file returns ErrExists.
	ID string
	// ParentSession is recorded in the header of a new session.
	ParentSession string
	// Cwd is the working directory of a new session; empty means that of the
	// process. Open uses it instead of the one in the header; empty means that
	// of the header.
	Cwd string
	// ReadOnly makes every append fail with ErrReadOnly.
	ReadOnly bool
	// Force allows appends while the program that owns the session seems to
	// have it open: see HeldError.
	Force bool
	// OnConflict is the policy for appends after another program has written.
	// The zero value refuses them.
	OnConflict ConflictPolicy
	// Sync makes every append durable before it returns. With a Store, each
	// append calls Sync on the session's log.
	Sync bool
	// Store holds the sessions, under the paths that their files would have.
	// Nil means the file system. Only a [filestore.Store] is protected against
	// programs that rewrite their sessions in place.
	Store store.Store
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// A ConflictPolicy determines the behavior of an append after other writers
// continued the session since it was last read. Names and labels are always
// written, at an entry where they hide no other entry. Every policy refuses a
// compaction or context edit that was made for a different branch.
type ConflictPolicy uint8

const (
	// Refuse returns a *StaleError. The tree is then up to date, and the caller
	// decides with Follow, Stay or Branch, then appends again.
	Refuse ConflictPolicy = iota
	// FollowNew appends at the new end of the conversation. If the leaf was
	// moved explicitly, it appends there instead.
	FollowNew
	// StayOnBranch appends at the session's own leaf, on a branch separate from
	// other writers'.
	StayOnBranch
)

func (o *Options) keeper() store.Store {
	if o.Store != nil {
		return o.Store
	}
	policy := filestore.SyncNever
	if o.Sync {
		policy = filestore.SyncAlways
	}
	return filestore.New(filestore.Options{Sync: policy})
}

func (o *Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

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

// A place holds the session's location and options. It does not change after
// the session is opened or created.
type place struct {
	opt   Options
	store store.Store
	file  string // "" for a session in memory
	dir   string
	cwd   string
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

// Close releases the session. If the leaf moved since the last append, Close
// first records its position in one hidden custom entry, so that every reader
// resumes there. It records nothing if other programs have written or have the
// session open, or if the session has no file. Close waits at most one second
// for another writer; if it cannot record the position, it returns the error
// and the session is closed anyway.
func (s *Session) Close() error {
	s.pen <- struct{}{}
	defer s.dropPen()
	if s.closed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := s.recordLeaf(ctx)
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return cmp.Or(err, s.journal.Close())
}

// closeTime is how long Close waits for a store to record the leaf.
const closeTime = time.Second

func (p *place) timestamp() (time.Time, string) {
	now := p.opt.now()
	return now, format.FormatTime(now)
}

func (p *place) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	path := cmp.Or(p.file, "the session in memory")
	return &FileError{op, path, err}
}
