package pith

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

// Open opens the session in a file. Nothing is written, whatever state the file
// is in: see [Session.Findings] for what is wrong with it. The error matches
// fs.ErrNotExist when there is no file, and [ErrNotSession] when it is not a
// session. An empty file opens as a session that has not begun.
func Open(path string, o Options) (*Session, error) {
	path = ExpandPath(path, "")
	s := &Session{opt: o, store: o.keeper(), file: path, leaf: tree.None}
	log, err := s.store.Open(path)
	if err != nil {
		return nil, &FileError{"open", path, cause(err)}
	}
	s.log = log
	if err := s.load(); err != nil {
		_ = log.Close() // nothing was written; the error that counts is the first
		return nil, err
	}
	s.dir = filepath.Dir(path)
	if o.Dir != "" {
		s.dir = ExpandPath(o.Dir, "")
	}
	s.cwd = s.table.Header.Cwd
	if o.Cwd != "" {
		s.cwd = ExpandPath(o.Cwd, "")
	}
	return s, nil
}

// OpenOrCreate opens the session in a file; where there is none it starts one
// that will be kept in exactly that file.
func OpenOrCreate(path string, o Options) (*Session, error) {
	s, err := Open(path, o)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	return createAt(ExpandPath(path, ""), o)
}

func createAt(path string, o Options) (*Session, error) {
	cwd := o.Cwd
	if cwd == "" {
		cwd = workingDir()
	}
	s, err := fresh(ExpandPath(cwd, ""), o)
	if err != nil {
		return nil, err
	}
	s.file, s.dir = path, filepath.Dir(path)
	if o.Dir != "" {
		s.dir = ExpandPath(o.Dir, "")
	}
	return s, nil
}

// load reads the whole table of the file and, for a file of an old version,
// puts its migrated form into a draft.
func (s *Session) load() error {
	size, err := s.log.Size()
	if err != nil {
		return s.wrap("open", err)
	}
	if size == 0 {
		return s.begin()
	}
	var table envelope.Table
	if err := table.Extend(s.log, size); err != nil {
		return s.wrap("open", err)
	}
	if table.Header == nil {
		return s.wrap("open", &format.LineError{Line: 1, Err: format.ErrNotSession})
	}
	s.table, s.draft = table, nil
	if needsMigration(&table) {
		if err := s.migrateToDraft(); err != nil {
			return s.wrap("migrate", err)
		}
	}
	s.index()
	s.stale, s.moved = nil, false
	return nil
}

// begin makes an empty file a session that has not begun. The file stays empty
// until the first message.
func (s *Session) begin() error {
	n, err := createAt(s.file, s.opt)
	if err != nil {
		return err
	}
	_ = s.log.Close() // opened for reading an empty file; nothing can be lost
	s.log, s.draft, s.table = nil, n.draft, n.table
	s.index()
	return nil
}

// reload reads the file anew, for the rare case that its past has changed. The
// leaf stays on its entry. If that is gone, or others continued the
// conversation, the session is stale; the entry called own does not count.
func (s *Session) reload(own string) error {
	leaf, moved, stale := s.idOf(s.leaf), s.moved, s.stale
	known := map[string]bool{own: true}
	for i := range s.table.Entries {
		known[s.table.Entries[i].ID] = true
	}
	if err := s.load(); err != nil {
		return err
	}
	s.stale, s.moved = stale, moved
	gone := false
	if i := s.tree.Find(leaf); i != tree.None || leaf == "" {
		s.leaf = i
	} else {
		gone = true
	}
	var came []int
	for i := range s.table.Entries {
		if !known[s.table.Entries[i].ID] {
			came = append(came, i)
		}
	}
	s.noteStale(came)
	if gone && s.stale == nil {
		s.stale = &StaleError{Path: s.file, Leaf: s.idOf(s.leaf)}
	}
	return nil
}

// cause drops the wrapping that repeats the path.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
