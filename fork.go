package pith

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store/filestore"
)

// ForkFrom copies a whole session, all branches, into a new one for another
// working directory. Entries keep their bytes; a source of an old version is
// migrated on the way. Pictures that oh-my-pi keeps beside its sessions come along,
// and so does the folder of its artifacts. The copy appears complete or not at all, and the source
// is not changed.
func ForkFrom(ctx context.Context, source, cwd string, o Options) (*Session, error) {
	source, cwd = sessiondir.ExpandPath(source, ""), sessiondir.ExpandPath(cwd, "")
	src, err := Open(ctx, source, Options{Store: o.Store, ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("fork: %w", err)
	}
	defer src.Close()
	if src.log == nil {
		return nil, &FileError{"fork", source, fmt.Errorf("%w: it is empty", ErrNotSession)}
	}
	if err := src.copyable(); err != nil {
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
	n.dir, n.file = dir, filepath.Join(dir, fileName(n.table.Header))
	if err := n.giveSlot(src.name(), "user"); err != nil {
		return nil, err
	}
	if err := n.createWith(ctx, func(w io.Writer) error { return src.writeCopy(w, n) }); err != nil {
		return nil, n.wrap("fork to", err)
	}
	if _, files := n.store.(*filestore.Store); files && src.program() == format.OhMyPi {
		if err := copyArtifacts(source, n.file); err != nil {
			_ = n.Close() // only read from since it was made; the error that counts is the first
			return nil, n.wrap("copy the artifacts to", err)
		}
	}
	return n, nil
}

// databaseVersion is the version in the headers of OpenClaw since it keeps sessions in
// a database. Its entries are those of version 3.
const databaseVersion = 4

// fromDatabase reports whether the session is a copy of one in OpenClaw's database,
// which only OpenClaw writes to.
func (j *journal) fromDatabase() bool {
	return j.table.Header.Version == databaseVersion && j.program() == format.OpenClaw
}

// copyable returns an error for a session whose entries would get a header that is
// not theirs.
func (j *journal) copyable() error {
	if j.fromDatabase() {
		return nil
	}
	return j.table.Header.CheckWritable()
}

// writeCopy writes every entry on a line of its own. Lines that are no entries
// stay behind: the source keeps them.
func (j *journal) writeCopy(w io.Writer, to *Session) error {
	now, blobs := j.snapshot(), ""
	if j.leavesOhMyPi(to.file) {
		blobs = blobsOf(j.file)
	}
	v := now.walkAll()
	last := ""
	for pos := range v.Len() {
		line, err := v.Line(pos)
		if err != nil {
			return err
		}
		if err := writeLine(w, withPictures(line, blobs)); err != nil {
			return err
		}
		last = v.ID(pos)
	}
	if to.table.Slot != nil {
		return nil // it has the name
	}
	return j.writeTitle(w, last)
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
func (j *journal) writeTitle(w io.Writer, parent string) error {
	name := j.name()
	if len(j.table.Names) > 0 || name == "" {
		return nil
	}
	_, stamp := j.timestamp()
	line := format.AppendEntry(nil, &format.SessionInfo{
		Base: format.Base{Type: format.TypeSessionInfo, ID: j.freeID(), ParentID: parent, Timestamp: stamp}, Name: name,
	})
	return writeLine(w, line)
}

// Fork makes a new session of the path that leads to an entry's parent, for
// asking again what the entry asked: the entry itself is not in it. For an
// entry without a parent the new session is empty.
func (s *Session) Fork(ctx context.Context, id string) (*Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(id)
	if err != nil {
		return nil, err
	}
	if parent := s.tree.Parent(i); parent != tree.None {
		return s.extract(ctx, parent)
	}
	return s.child(nil)
}
