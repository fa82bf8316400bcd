package pith

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/tree"
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
	s := &Session{opt: o, store: o.keeper(), cwd: h.Cwd, leaf: tree.None, draft: &draft{}}
	s.draft.data = append(append(format.AppendHeader(nil, h), '\n'), lines...)
	if err := s.table.Extend(s.draft, s.draft.size()); err != nil {
		return nil, err
	}
	s.index()
	return s, nil
}

// fileName is the name that pi would give the session's file.
func fileName(h *format.Header) string {
	t, _ := h.Time()
	return format.FileName(t, h.ID)
}

// sameID finds a session file in names whose name ends in the id.
func sameID(names []string, id string) (string, bool) {
	for _, name := range names {
		if strings.HasSuffix(name, "_"+id+".jsonl") || name == id+".jsonl" {
			return name, true
		}
	}
	return "", false
}
