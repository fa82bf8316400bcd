package pith

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// writeLine writes a line and LF. It is for a store.Fill, whose writes are
// buffered.
func writeLine(w io.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return err
	}
	_, err := w.Write(newline)
	return err
}

var newline = []byte{'\n'}
