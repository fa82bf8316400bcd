package pith

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Create starts a new session for the working directory Options.Cwd. The file
// is created with the first user or assistant message.
func Create(o Options) (*Session, error) {
	cwd := sessiondir.ExpandPath(o.Cwd, "")
	dir, err := folderFor(cwd, &o)
	if err != nil {
		return nil, err
	}
	s, err := fresh(cwd, o)
	if err != nil {
		return nil, err
	}
	s.dir = dir
	s.file = filepath.Join(dir, fileName(s.seen.Header))
	return s, nil
}

// InMemory starts a session that is never written to disk.
func InMemory(o Options) (*Session, error) {
	return fresh(sessiondir.ExpandPath(o.Cwd, ""), o)
}

// fresh returns a draft session that has a header and no file name.
func fresh(cwd string, o Options) (*Session, error) {
	if o.ID != "" && !format.ValidSessionID(o.ID) {
		return nil, invalidf(ErrSessionID, "session ID", o.ID, "session ID %q: use letters, digits, '.', '_' and '-', starting and ending with a letter or digit", o.ID)
	}
	now := o.now()
	id := o.ID
	if id == "" {
		id = sessiondir.NewSessionID(now)
	}
	h := &format.Header{
		Version: format.Version, ID: id, Timestamp: format.FormatTime(now), Cwd: cwd, ParentSession: parentName(o.ParentSession),
	}
	return newDraft(h, nil, o)
}

// parentName returns the name of the session at path in the header of one made
// from it: the path, or the ID of a session that has no file of its own.
func parentName(path string) string {
	if path == "" {
		return ""
	}
	h, err := sessiondir.HeaderOf(path)
	if err != nil && !errors.Is(err, format.ErrTooNew) || h == nil {
		return path // another program's reference, or a session without a file
	}
	return asParent(&journal.State{Header: h}, path)
}

// newDraft returns a draft session with a header and lines, each of which ends
// in LF.
func newDraft(h *format.Header, lines []byte, o Options) (*Session, error) {
	j, err := journal.New(append(append(format.AppendHeader(nil, h), '\n'), lines...))
	if err != nil {
		return nil, err
	}
	return newSession(j, o), nil
}

// fileName returns the file name that pi would give the session.
func fileName(h *format.Header) string {
	t, _ := h.Time()
	return format.FileName(t, h.ID)
}

// createWith creates the file of a new session from the draft and the output of
// rest.
func (s *Session) createWith(ctx context.Context, rest store.Fill) error {
	next, err := s.create(ctx, rest)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen, s.leaf = next, next.Resume()
	return nil
}

// create creates the session's log from the draft and the output of rest. If
// the caller chose the id, create checks under a directory lock that no other
// session has it, so two processes cannot both succeed.
func (s *Session) create(ctx context.Context, rest store.Fill) (next *journal.State, err error) {
	if err := ofOhMyPi(s.seen, s.file, false); err != nil {
		return nil, err
	}
	create := func() error {
		if s.opt.ID != "" {
			if err := s.idIsFree(ctx); err != nil {
				return err
			}
		}
		next, err = s.journal.Create(ctx, s.store, s.file, rest)
		return err
	}
	if s.opt.ID != "" && filestore.Is(s.store) {
		err = filestore.WithDirLock(ctx, s.dir, create)
	} else {
		err = create()
	}
	if next == nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written = true
	return next, err
}

// idIsFree returns ErrExists if the project already has a session with the same
// id (pitfalls 67, 68). It searches the directory or the store's list. A store
// that cannot list refuses only an equal name.
func (s *Session) idIsFree(ctx context.Context) error {
	var taken string
	var err error
	if filestore.Is(s.store) {
		taken, err = sessiondir.FileWithID(s.dir, s.cwd, s.seen.Header.ID)
	} else if keeper, ok := s.store.(store.Lister); ok {
		taken, err = s.listedID(ctx, keeper)
	}
	if err == nil && taken != "" {
		err = fmt.Errorf("%w: %s; open it, or choose another ID", ErrExists, taken)
	}
	return err
}

// listedID returns the name of a log in the same directory that has this
// session's id and project, or "".
func (s *Session) listedID(ctx context.Context, keeper store.Lister) (string, error) {
	id := s.seen.Header.ID
	for info, err := range keeper.List(ctx, strings.TrimSuffix(filepath.Join(s.dir, "x"), "x")) {
		if err != nil {
			return "", err
		}
		if filepath.Dir(info.Name) != s.dir || !sessiondir.NamedAfter(filepath.Base(info.Name), id) {
			continue
		}
		l, err := s.store.Open(ctx, info.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		h, err := sessiondir.ReadHeader(l)
		_ = l.Close() // only read
		if err != nil || h.Cwd == "" || sessiondir.SameProject(h.Cwd, s.cwd) {
			return info.Name, nil
		}
	}
	return "", nil
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
