package pith

import (
	"cmp"
	"context"
	"io"
	"sync"
	"time"
	"weak"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/patchedlog"
	"github.com/pith-sessions/pith/internal/tree"
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
type Session struct{ journal }

// A journal is the state of a Session and its I/O. It has two locks. The pen is
// held while the file is read or written. mu guards the state in memory; it is
// held only briefly and never during I/O, so reading the state never waits for
// a file.
//
// With the pen alone, all fields may be read except the standing, the labels
// and the tree, which need mu. Changing a field needs both locks, except for
// the standing, which needs only mu.
type journal struct {
	pen chan struct{} // full while held
	mu  sync.Mutex

	place
	position
	content

	closed bool
	opened bool // opened from a file and not yet written; see settle

	// When held last checked for another program, and the last entry then or
	// the last entry written since; see held.
	asked time.Time
	own   int

	shrunk shrinking
}

func newSession(o Options) *Session {
	s := &Session{}
	s.pen, s.place, s.leaf = make(chan struct{}, 1), place{opt: o, store: o.keeper()}, tree.None
	return s
}

// takePen waits until no other goroutine reads or writes the file. The caller
// must call dropPen.
func (j *journal) takePen(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case j.pen <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (j *journal) dropPen() { <-j.pen }

// A place holds the session's location and options. It does not change after
// the session is opened or created.
type place struct {
	opt   Options
	store store.Store
	file  string // "" for a session in memory
	dir   string
	cwd   string
}

// content holds the bytes of a session.
type content struct {
	// log is the file. It is nil if the session is in memory or waits for its
	// first message.
	log *handle
	// replaced holds replaced logs that views may still use.
	replaced []weak.Pointer[handle]
	// migrated is the session's content while its file is of an old version and
	// not yet replaced. source is the number of bytes read from that file.
	migrated  *patchedlog.Log
	source    int64
	oldFaults []envelope.Fault // faults of the old file
	// draft holds the session's bytes while it has no file.
	draft *draft
}

// ID returns the session's id.
func (s *Session) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.Header.ID
}

// Header returns a copy of the session's header.
func (s *Session) Header() *format.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.Header.Clone()
}

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
	return s.log != nil
}

// Name returns the display name: the last one set anywhere in the file, or ""
// if there is none or it was cleared. In an oh-my-pi file, and if no entry
// names the session, it returns the title that oh-my-pi stores.
func (s *Session) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name()
}

func (j *journal) name() string { return j.table.DisplayName(j.file) }

// program returns the program that the session's file belongs to.
func (j *journal) program() format.Program { return j.programOf(j.table) }

func (p *place) programOf(t *envelope.Table) format.Program { return t.Signature.Program(p.file) }

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
	if s.log != nil {
		if cerr := s.log.Close(); err == nil {
			err = cerr
		}
	}
	for _, p := range s.replaced {
		if log := p.Value(); log != nil {
			_ = log.Close() // nothing was written to it since it was replaced
		}
	}
	return err
}

// closeTime is how long Close waits for a store to record the leaf.
const closeTime = time.Second

// body returns the reader of the session's lines.
func (c *content) body() io.ReaderAt {
	switch {
	case c.draft != nil:
		return c.draft
	case c.migrated != nil:
		return c.migrated
	}
	return c.log
}

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
