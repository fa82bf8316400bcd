package pith

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store/filestore"
)

// ForkFrom copies a whole session, all branches, into a new one for another
// working directory. Entries keep their bytes; a source of an old version is
// migrated on the way (pitfall 99). The copy appears complete or not at all,
// and the source is not changed.
func ForkFrom(source, cwd string, o Options) (*Session, error) {
	source, cwd = ExpandPath(source, ""), ExpandPath(cwd, "")
	src, err := Open(source, Options{Store: o.Store, ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("fork: %w", err)
	}
	defer src.Close()
	if src.log == nil {
		return nil, &FileError{"fork", source, fmt.Errorf("%w: it is empty", ErrNotSession)}
	}
	if err := src.table.Header.CheckWritable(); err != nil { // its entries would get a header that is not theirs
		return nil, &FileError{"fork", source, err}
	}
	dir, err := folderFor(cwd, &o)
	if err != nil {
		return nil, err
	}
	o.ParentSession = source
	n, err := fresh(cwd, o)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, fileName(n.table.Header))
	n.dir, n.file = dir, file
	if err := n.copyFrom(src); err != nil {
		return nil, n.wrap("fork to", err)
	}
	return n, nil
}

// copyFrom publishes the session's file with all entries of another session.
func (s *Session) copyFrom(src *Session) error {
	create := func() error {
		log, err := s.store.Create(s.file, func(w io.Writer) error { return src.writeCopy(w, s.draft.data) })
		if err != nil {
			return err
		}
		s.log = log
		return nil
	}
	if err := s.exclusively(create); err != nil {
		return err
	}
	s.draft = nil
	return s.load()
}

// exclusively creates a file. An id that was given must be free, and two
// processes that were given the same one must not both find it so.
func (s *Session) exclusively(create func() error) error {
	if s.opt.ID == "" {
		return create()
	}
	ifFree := func() error {
		if err := s.idIsFree(); err != nil {
			return err
		}
		return create()
	}
	if _, files := s.store.(*filestore.Store); files {
		return filestore.WithDirLock(s.dir, ifFree)
	}
	return ifFree()
}

// writeCopy writes a header and then every entry on a line of its own. Lines
// that are no entries stay behind: the source keeps them.
func (s *Session) writeCopy(w io.Writer, header []byte) error {
	if _, err := w.Write(header); err != nil {
		return err
	}
	v := s.viewAll()
	last := ""
	for pos := range v.Len() {
		line, err := v.Line(pos)
		if err != nil {
			return err
		}
		if err := writeLine(w, line); err != nil {
			return err
		}
		last = v.ID(pos)
	}
	return s.writeTitle(w, last)
}

// writeLine writes a line and its end, for a store.Fill, whose writes are buffered.
func writeLine(w io.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return err
	}
	_, err := w.Write(newline)
	return err
}

var newline = []byte{'\n'}

// writeTitle carries a name over that is not in an entry but in what
// oh-my-pi writes around its header.
func (s *Session) writeTitle(w io.Writer, parent string) error {
	name := s.name()
	if len(s.table.Names) > 0 || name == "" {
		return nil
	}
	_, stamp := s.timestamp()
	line := format.AppendEntry(nil, &format.SessionInfo{
		Base: format.Base{Type: format.TypeSessionInfo, ID: s.freeID(), ParentID: parent, Timestamp: stamp}, Name: name,
	})
	return writeLine(w, line)
}

// Fork makes a new session of the path that leads to an entry's parent, for
// asking again what the entry asked: the entry itself is not in it. For an
// entry without a parent the new session is empty.
func (s *Session) Fork(id string) (*Session, error) {
	s.mu.Lock()
	i, err := s.find(id)
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	parent := s.idOf(s.tree.Parent(i))
	s.mu.Unlock()
	if parent != "" {
		return s.Extract(parent)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := newDraft(s.childHeader(s.cwd), nil, s.opt)
	if err != nil {
		return nil, err
	}
	s.settleChild(n)
	return n, nil
}
