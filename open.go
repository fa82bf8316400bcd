package pith

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/patchedlog"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
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
	if !filestore.Is(o.keeper()) {
		return openNow(ctx, path, o) // no other program writes there
	}
	var s *Session
	err := sessiondir.Settled(ctx, path, func() (err error) {
		s, err = openNow(ctx, path, o)
		if err == nil && s.log == nil {
			return errEmptyFile
		}
		return err
	})
	if err != nil && err != errEmptyFile {
		return nil, err
	}
	return s, nil
}

// errEmptyFile means that a file is empty. Another program may be about to
// write it.
var errEmptyFile = fmt.Errorf("%w: it is empty", ErrNotSession)

// openNow opens a file without waiting.
func openNow(ctx context.Context, path string, o Options) (*Session, error) {
	s := newSession(o)
	s.file = path
	log, err := s.store.Open(ctx, path)
	if err != nil {
		return nil, &FileError{"open", path, cause(err)}
	}
	s.log = newHandle(log)
	size, err := log.Size(ctx)
	switch {
	case err != nil:
		err = s.wrap("open", err)
	case size == 0 && o.ReadOnly:
		err = s.wrap("open", errEmptyFile) // nothing to read
	case size == 0:
		err = s.begin()
	default:
		err = s.load(ctx, size)
	}
	if err != nil {
		if s.log != nil {
			_ = s.log.Close() // nothing was written; the first error is returned
		}
		return nil, err
	}
	s.opened = true
	s.cwd = s.table.Header.Cwd
	if o.Cwd != "" {
		s.cwd = sessiondir.ExpandPath(o.Cwd, "")
	}
	s.dir = filepath.Dir(path)
	if o.Dir != "" {
		s.dir = sessiondir.ExpandPath(o.Dir, "")
	} else if s.isCopy(s.table) || s.isArchived() || s.ofOhMyPi() != nil {
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

// load reads the file up to a size. On error the session is unchanged.
func (j *journal) load(ctx context.Context, size int64) error {
	l, err := readLog(ctx, j.log, size)
	if err != nil {
		return j.wrap("open", err)
	}
	j.take(l)
	j.stale, j.moved = nil, false
	return nil
}

// A reading is the result of reading a session: its table and tree, and their
// source if that is not a log of the current version.
type reading struct {
	table    *envelope.Table
	tree     *tree.Tree
	draft    *draft
	migrated *patchedlog.Log
	source   int64            // how many bytes of the log were migrated
	faults   []envelope.Fault // faults of the log before its migration
}

// readLog reads a whole log. It reads a log of an old version as if it were
// migrated.
func readLog(ctx context.Context, log store.Log, size int64) (*reading, error) {
	l := &reading{}
	if err := l.read(ctx, log, size); err != nil {
		return nil, err
	}
	if l.table.Header == nil {
		return nil, headerless(l.table)
	}
	if !l.table.NeedsMigration() {
		return l, nil
	}
	events, err := l.table.IsEvents(log)
	if err != nil {
		return nil, err
	}
	if events {
		return nil, envelope.ErrEvents
	}
	body, err := l.hold(ctx, log, size)
	if err != nil {
		return nil, err
	}
	p, err := migrate(ctx, body, l.table)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	// Migration adds missing ids; every other fault remains a finding.
	faults := slices.DeleteFunc(l.table.Faults, func(f envelope.Fault) bool { return f.Kind == envelope.FaultNoID })
	l = &reading{migrated: p, source: size, faults: faults}
	return l, l.read(ctx, p, p.Size())
}

// read fills the table and the tree.
func (l *reading) read(ctx context.Context, r io.ReaderAt, size int64) error {
	l.table = &envelope.Table{}
	if err := l.table.Extend(envelope.Until(ctx, r), size); err != nil {
		return err
	}
	l.tree = tree.New(l.table)
	return nil
}

// mostHeld is the largest log of an old version that is kept in memory.
const mostHeld = 64 << 20

// hold returns the bytes of a log of an old version, which pi may rewrite in
// place at any moment. If the log is not too large, hold reads it into memory
// and fills the table and the tree from there.
func (l *reading) hold(ctx context.Context, log store.Log, size int64) (io.ReaderAt, error) {
	if size > mostHeld {
		return log, nil
	}
	data := make([]byte, size)
	if _, err := envelope.ReadFull(envelope.Until(ctx, log), data, 0); err != nil {
		return nil, err
	}
	now, err := log.Size(ctx)
	if err != nil {
		return nil, err
	}
	body := bytes.NewReader(data)
	if err := l.read(ctx, body, size); err != nil {
		return nil, err
	}
	if now != size || l.table.Header == nil {
		return nil, fmt.Errorf("it changed while it was read: %w", io.ErrUnexpectedEOF)
	}
	return body, nil
}

// take replaces the session's state with a reading.
func (j *journal) take(l *reading) {
	j.table, j.tree, j.labels = l.table, l.tree, tree.Labels{}
	j.draft, j.migrated, j.source, j.oldFaults = l.draft, l.migrated, l.source, l.faults
	j.shared = false
	j.applyLabels(0)
	j.leaf = j.resumePoint()
}

// headerless returns the error for a file without a header.
func headerless(t *envelope.Table) error {
	why := format.ErrSyntax
	if t.Tail() == envelope.TailTorn && t.Lines() == 1 {
		why = format.ErrTorn
	}
	return &format.LineError{Line: 1, Err: fmt.Errorf("%w: no header: %w", format.ErrNotSession, why)}
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

// begin turns an empty file into a new session. The file stays empty until the
// first message.
func (j *journal) begin() error {
	o := j.opt
	if o.ID == "" { // the same on every open
		_, id, ok := format.ParseFileName(filepath.Base(j.file))
		if !ok || !format.ValidSessionID(id) {
			id = idOfEmpty(j.file)
		}
		o.ID = id
	}
	n, err := createAt(j.file, o)
	if err != nil {
		return err
	}
	_ = j.log.Close() // opened only to read an empty file
	j.log = nil
	j.take(&reading{table: n.table, tree: n.tree, draft: n.draft})
	return nil
}

// reload rereads a log, for the rare case that its past has changed or that
// another log replaced it. It returns the number of entries added or removed.
// The leaf stays on its entry. If that entry is gone, its nearest remaining
// ancestor becomes the leaf and the session is stale, as it is if others
// continued the conversation. The entry whose id is own does not count. On
// error the session is unchanged.
func (j *journal) reload(ctx context.Context, own string, log *handle) (int, error) {
	size, err := log.Size(ctx)
	if err != nil {
		return 0, j.wrap("read", err)
	}
	l, err := readLog(ctx, log, size)
	if err != nil {
		return 0, j.unread(err)
	}
	if l.table.Header.ID != j.table.Header.ID {
		return 0, j.wrap("read", fmt.Errorf("%w: the file now contains another session", store.ErrGone))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	was := j.position
	if log != j.log {
		j.keepFormer(j.log)
		j.log = log
	}
	j.take(l)
	j.moved, j.moves, j.stale = was.moved, was.moves, was.stale
	gone := j.returnTo(&was)
	came, removed := j.changes(was.table, own)
	j.noteStale(came)
	if gone && j.stale == nil {
		j.stale = &StaleError{Path: j.file, Leaf: j.idOf(j.resumePoint())}
	}
	return len(came) + removed, nil
}

// returnTo moves the leaf to its previous entry or to its nearest remaining
// ancestor. gone reports whether the entry no longer exists.
func (p *position) returnTo(was *position) (gone bool) {
	if was.leaf == tree.None {
		p.leaf = tree.None
		return false
	}
	for i := was.leaf; i != tree.None; i = was.tree.Parent(i) {
		if there := p.tree.Find(was.table.ID(i)); there != tree.None {
			p.leaf = there
			return i != was.leaf
		}
	}
	return true // none remains: keep the leaf chosen on load
}

// changes returns the entries that the previous table lacks, except own, and
// the number of its entries that are gone.
func (p *position) changes(was *envelope.Table, own string) (came []int, removed int) {
	known := map[string]bool{} // whether the entry still exists
	for i := range was.Len() {
		known[was.ID(i)] = false
	}
	for i := range p.table.Len() {
		id := p.table.ID(i)
		if _, ok := known[id]; ok {
			known[id] = true
		} else if id != own {
			came = append(came, i)
		}
	}
	for _, there := range known {
		if !there {
			removed++
		}
	}
	return came, removed
}

// cause unwraps a PathError, which repeats the path.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
