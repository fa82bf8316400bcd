package pith

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/format"
)

// Create starts a new session for a working directory. Its file appears with
// the first message of the user or the assistant (pitfalls 28, 29).
func Create(cwd string, o Options) (*Session, error) {
	cwd = ExpandPath(cwd, "")
	dir, err := folderFor(cwd, &o)
	if err != nil {
		return nil, err
	}
	s, err := fresh(cwd, o)
	if err != nil {
		return nil, err
	}
	s.dir = dir
	s.file = filepath.Join(dir, fileName(s.table.Header))
	return s, nil
}

// InMemory starts a session that never reaches a disk.
func InMemory(cwd string, o Options) (*Session, error) {
	return fresh(ExpandPath(cwd, ""), o)
}

// fresh makes a session without a place: a draft that holds a header.
func fresh(cwd string, o Options) (*Session, error) {
	if o.ID != "" && !format.ValidSessionID(o.ID) {
		return nil, fmt.Errorf("%w: session id %q: use letters, digits, '.', '_' and '-', beginning and ending with a letter or digit", ErrInvalid, o.ID)
	}
	now := o.now()
	id := o.ID
	if id == "" {
		id = NewSessionID(now)
	}
	h := &format.Header{
		Version: format.Version, ID: id, Timestamp: format.FormatTime(now), Cwd: cwd, ParentSession: o.ParentSession,
	}
	return newDraft(h, nil, o)
}

// newDraft makes a session of a header and lines that each end with an LF.
func newDraft(h *format.Header, lines []byte, o Options) (*Session, error) {
	l := &reading{draft: &draft{data: append(append(format.AppendHeader(nil, h), '\n'), lines...)}}
	if err := l.read(l.draft, l.draft.size()); err != nil {
		return nil, err
	}
	s := &Session{opt: o, store: o.keeper(), cwd: h.Cwd}
	s.take(l)
	return s, nil
}

// fileName is the name that pi would give the session's file.
func fileName(h *format.Header) string {
	t, _ := h.Time()
	return format.FileName(t, h.ID)
}

// FileWithID is the file in a folder that is named after a session id and is of
// the project at cwd; "" if there is none. An id is taken for one project, not for
// others whose folder has the same name (pitfall 68). A file whose header cannot be
// read counts.
func FileWithID(dir, cwd, id string) (string, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", &FileError{"list", dir, cause(err)}
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".jsonl")
		if _, named, dated := strings.Cut(name, "_"); name != id && (!dated || named != id) {
			continue
		}
		path := filepath.Join(dir, f.Name())
		if h, err := headerOf(path); err != nil || h.Cwd == "" || SameProject(h.Cwd, cwd) {
			return path, nil
		}
	}
	return "", nil
}
