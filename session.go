package pith

import (
	"context"
	"io"
	"sync"
	"time"
	"weak"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache/tables"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/patchedlog"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Options are the choices that Create, Open and their relatives take. The zero
// value is what pi would do, except that an append does not go on silently when
// others have written: see OnConflict.
type Options struct {
	// Dir is the folder for session files, used as it is, without a subfolder
	// for the project. Empty means where pi keeps them: see
	// [sessiondir.Environment.Place].
	Dir string
	// ID is the id of a new session. Empty means a new UUID. If the project has
	// a session of that id in the same folder, the append that would make the
	// file is refused with ErrExists.
	ID string
	// ParentSession is recorded in the header of a new session.
	ParentSession string
	// Cwd is the working directory of a new session; empty means that of the
	// process. Open takes it instead of the one in the header; empty means that
	// of the header.
	Cwd string
	// ReadOnly makes every append fail with ErrReadOnly.
	ReadOnly bool
	// Force makes appends go on while the program that the session belongs to seems
	// to have it open: see HeldError.
	Force bool
	// OnConflict says what an append does when somebody else has written. The
	// zero value refuses it.
	OnConflict ConflictPolicy
	// Sync makes every append durable before it returns. With a Store it calls
	// Sync of the session's log after each append.
	Sync bool
	// Store keeps the sessions, under the paths that their files would have.
	// Nil means files.
	Store store.Store
	// Tables is a folder in which Open and Close cache where the entries of large
	// session files are, so that these open at once the next time. It may be deleted
	// at any time. Empty means no cache. Sessions in other stores than files are
	// never cached.
	Tables string
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// ConflictPolicy says what an append does when others have continued the
// conversation in the file since this session last looked. Names and labels
// are always attached where they hide nobody's history. Compactions and context
// edits that were not made for where they would go are refused by every policy.
type ConflictPolicy uint8

const (
	// Refuse returns a *StaleError. The tree is up to date then, and the caller
	// decides: Follow, Stay or Branch, then append again.
	Refuse ConflictPolicy = iota
	// FollowNew appends to the new end of the conversation, unless the leaf was
	// moved on purpose: then it appends there.
	FollowNew
	// StayOnBranch appends to the own leaf, on purpose beside what others wrote.
	StayOnBranch
)

func (o *Options) keeper() store.Store {
	if o.Store != nil {
		return o.Store
	}
	return filestore.New(filestore.Options{Sync: syncPolicy(o.Sync)})
}

func syncPolicy(always bool) filestore.SyncPolicy {
	if always {
		return filestore.SyncAlways
	}
	return filestore.SyncNever
}

func (o *Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

// A Session is one conversation tree and a position in it.
type Session struct{ journal }

// A journal is what is known of a session, and the reading and writing of what keeps
// it. Two locks keep its users apart. Whoever reads the file or writes to it has the
// pen for as long as that takes. What is known changes under mu, which is held for
// moments and never during I/O, so that nobody who only asks waits for a file.
//
// With the pen alone one may read all fields but the standing, the labels and the
// tree, which need mu; to change a field takes both, except for the standing, which
// needs mu alone.
type journal struct {
	pen chan struct{} // full while somebody has it
	mu  sync.Mutex

	place
	position
	content

	closed     bool
	opened     bool  // from a file, and not written to yet; see settle
	saved      int64 // how much of the file is in the table that was kept
	savedIndex bool  // the index of ids is in it
	saving     sync.WaitGroup

	// When it was asked last whether another program has the session, and which entry
	// was the last one then, or was written since; see held.
	asked time.Time
	own   int

	shrunk shrinking
}

func newSession(o Options) *Session {
	s := &Session{}
	s.pen, s.place, s.leaf = make(chan struct{}, 1), newPlace(o), tree.None
	return s
}

// takePen waits until nobody else reads the file or writes to it. The caller calls
// dropPen.
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

// A place is where a session is kept, and with which choices. It stays as it was
// when the session was opened or made.
type place struct {
	opt    Options
	store  store.Store
	tables *tables.Dir // nil where none are kept
	file   string      // "" for a session that stays in memory
	dir    string
	cwd    string
}

func newPlace(o Options) place {
	p := place{opt: o, store: o.keeper()}
	if o.Tables != "" {
		p.tables = tables.New(o.Tables)
	}
	return p
}

// A content is what holds the bytes of a session.
type content struct {
	// log is the file. It is nil while there is none: the session is in memory,
	// or waits for its first message.
	log *handle
	// former are logs that others have replaced and that views may still have.
	former []weak.Pointer[handle]
	// migrated is the session's content while its file, of which so many bytes
	// were read, is of an old version and was not replaced yet.
	migrated  *patchedlog.Log
	source    int64
	oldFaults []envelope.Fault // of the old file
	// draft holds the session's bytes while there is no file.
	draft *draft
}

// ID is the session's id.
func (s *Session) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.Header.ID
}

// Header is a copy of the session's header.
func (s *Session) Header() *format.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.Header.Clone()
}

// File is the path of the session's file, which may not exist yet; "" for a
// session in memory.
func (s *Session) File() string { return s.file }

// Dir is the folder in which the session's relatives are created.
func (s *Session) Dir() string { return s.dir }

// Cwd is the working directory of the session.
func (s *Session) Cwd() string { return s.cwd }

// Persisted reports whether the session is kept in a store, not in memory alone.
func (s *Session) Persisted() bool { return s.file != "" }

// Written reports whether the session's file exists: it appears with the first
// message of the user or the assistant.
func (s *Session) Written() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log != nil
}

// Name is the display name: the last one given, anywhere in the file; "" when
// there is none or the last was cleared. In a file of oh-my-pi, and where no entry
// names the session, the title that oh-my-pi keeps counts.
func (s *Session) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name()
}

func (j *journal) name() string { return j.table.DisplayName(j.file) }

// program is the program that the session's file belongs to.
func (j *journal) program() format.Program { return j.programOf(j.table) }

func (p *place) programOf(t *envelope.Table) format.Program { return t.Signature.Program(p.file) }

// Close ends the use of the session. If the leaf was moved and the conversation
// not continued since, Close records the position, so that every reader resumes
// there: one custom entry that no reader shows. Nothing is recorded when others
// have written meanwhile or have the session open, or when it has no file. Close
// waits for another writer for a second at most; if it cannot record the position
// by then, it returns the error and the session is closed all the same. What was
// learnt of a large file is kept for the next time: see Options.Tables.
func (s *Session) Close() error {
	s.pen <- struct{}{}
	defer s.dropPen()
	if s.closed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := s.recordLeaf(ctx)
	s.saving.Wait()
	if s.tableOutdated() {
		_ = s.saveTable(ctx) // a cache: without it the file is read again
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	if s.log != nil {
		if cerr := s.log.Close(); err == nil {
			err = cerr
		}
	}
	for _, p := range s.former {
		if log := p.Value(); log != nil {
			_ = log.Close() // nothing was written to it since it was replaced
		}
	}
	return err
}

// closeTime is how long Close waits for a store to record the position.
const closeTime = time.Second

// body is where the session's lines are read from.
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
	path := p.file
	if path == "" {
		path = "the session in memory"
	}
	return &FileError{op, path, err}
}
