package pith

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store/filestore"
)

// Open opens the session in a file. It writes nothing, whatever the state of
// the file; [Session.Findings] reports problems. The error matches
// fs.ErrNotExist if there is no file, and [ErrNotSession] if the file is not a
// session. A writable open treats an empty file as a new session; a read-only
// open returns ErrNotSession for it. If another program is rewriting the file
// in place, as pi does to migrate it, Open waits until that is done. The
// context applies until Open returns; an open session does not retain it.
func Open(ctx context.Context, path string, o Options) (*Session, error) {
	path = sessiondir.ExpandPath(path, "")
	st := o.keeper()
	var j *journal.Journal
	open := func() (err error) {
		j, err = journal.Open(ctx, st, path)
		return err
	}
	var err error
	if other := foreign.StoreOf(path); other != nil && o.Store == nil {
		st = other // an agent's own session is only read
		err = open()
	} else if filestore.Is(st) {
		err = sessiondir.Settled(ctx, path, open)
	} else {
		err = open() // no other program writes there
	}
	if errors.Is(err, journal.ErrEmpty) && !o.ReadOnly {
		return beginAt(path, o)
	}
	if err != nil {
		return nil, &FileError{"open", path, cause(err)}
	}
	s := newSession(j, o)
	s.file = path
	if o.Cwd != "" {
		s.cwd = sessiondir.ExpandPath(o.Cwd, "")
	}
	s.dir = filepath.Dir(path)
	if o.Dir != "" {
		s.dir = sessiondir.ExpandPath(o.Dir, "")
	} else if isCopy(s.seen, path) || isArchived(path) || ofOhMyPi(s.seen, path, true) != nil {
		s.dir, _ = folderFor(s.cwd, &o) // a derived session returns the error
	}
	return s, nil
}

// OpenOrCreate opens the session in a file. If the file does not exist, it
// starts a session that will be stored at exactly that path.
func OpenOrCreate(ctx context.Context, path string, o Options) (*Session, error) {
	s, err := Open(ctx, path, o)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	return createAt(sessiondir.ExpandPath(path, ""), o)
}

func createAt(path string, o Options) (*Session, error) {
	s, err := fresh(sessiondir.ExpandPath(o.Cwd, ""), o)
	if err != nil {
		return nil, err
	}
	s.file, s.dir = path, filepath.Dir(path)
	if o.Dir != "" {
		s.dir = sessiondir.ExpandPath(o.Dir, "")
	}
	return s, nil
}

// beginAt turns an empty file into a new session. The file stays empty until the
// first message.
func beginAt(path string, o Options) (*Session, error) {
	named := o
	if o.ID == "" { // the same on every open
		_, id, ok := format.ParseFileName(filepath.Base(path))
		if !ok || !format.ValidSessionID(id) {
			id = idOfEmpty(path)
		}
		named.ID = id
	}
	s, err := createAt(path, named)
	if err != nil {
		return nil, err
	}
	s.opt = o
	return s, nil
}

// idOfEmpty derives a session ID, a version 8 UUID, from the path of an empty
// file and its modification time.
func idOfEmpty(path string) string {
	var changed int64
	if stat, err := os.Stat(path); err == nil {
		changed = stat.ModTime().UnixNano()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", path, changed))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// cause unwraps a PathError, which repeats the path.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// ContinueRecent opens the session of the working directory Options.Cwd with
// the most recent message, or starts a new one: see [sessiondir.MostRecent].
// Only files can be searched: with any other Store, the error matches
// ErrFilesOnly.
func ContinueRecent(ctx context.Context, o Options) (*Session, error) {
	if !filestore.Is(o.keeper()) {
		return nil, invalidf(ErrFilesOnly, "store", "", "only files can be searched for the most recent session; open it by name")
	}
	cwd := sessiondir.ExpandPath(o.Cwd, "")
	dir, err := folderFor(cwd, &o)
	if err != nil {
		return nil, err
	}
	path, err := sessiondir.MostRecent(ctx, cwd, dir, physicalFolder(cwd, dir, o))
	if err != nil {
		return nil, err
	}
	if path == "" {
		return Create(o)
	}
	o.Cwd, o.Dir = cwd, filepath.Dir(path)
	return Open(ctx, path, o)
}

// physicalFolder returns the session directory of a working directory reached
// through a symbolic link: pi names it after the resolved path (pitfall 175).
// It returns dir if the two are the same.
func physicalFolder(cwd, dir string, o Options) string {
	real, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		return dir
	}
	other, err := folderFor(real, &o)
	if err != nil {
		return dir
	}
	return other
}
