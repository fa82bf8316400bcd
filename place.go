package pith

import (
	"cmp"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
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

// A place holds the session's location and options. It does not change after
// the session is opened or created.
type place struct {
	opt   Options
	store store.Store
	file  string // "" for a session in memory
	dir   string
	cwd   string
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

// folderFor returns the directory of a project's sessions, as chosen by the
// options. cwd is still relative if the process's current directory no longer
// exists.
func folderFor(cwd string, o *Options) (string, error) {
	if !filepath.IsAbs(cwd) {
		return "", invalidf(ErrNoDir, "working directory", cwd, "working directory %q: cannot find the current directory (was it deleted?); use an absolute path", cwd)
	}
	if o.Dir != "" {
		return sessiondir.ExpandPath(o.Dir, ""), nil
	}
	dir := sessiondir.Environment{}.Place(cwd).For(cwd)
	if dir == "" {
		return "", invalidf(ErrNoDir, "home directory", "", "no home directory for sessions: set HOME, or name a session directory")
	}
	return dir, nil
}
