package pith

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/patchedlog"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/store"
)

// attempts limits how often an append catches up with other writers before it
// fails. Each attempt means that another program wrote in between.
const attempts = 1000

// An addition is an entry to be appended.
type addition struct {
	// describes marks a name or a label. Such an entry describes the session
	// and does not continue the conversation, so it never waits for a decision.
	describes bool
	// at returns the parent entry; nil means the leaf.
	at func() (int, error)
	// fits reports why the entry cannot have a given parent; nil means that any
	// parent fits. An entry that refers to another one needs it on its path.
	fits func(parent int) error
	// build creates the entry from its base. It is called with the pen but
	// without mu.
	build func(b format.Base, parent int) (format.Entry, error)
}

// append writes an entry under the leaf, or under the parent chosen by the
// addition, and moves the leaf to it. It decides on the parent before it
// writes, and changes the session's state after. If it fails, the file and the
// leaf are unchanged.
func (s *Session) append(ctx context.Context, a addition) (string, error) {
	if err := s.takePen(ctx); err != nil {
		return "", s.wrap("append to", err)
	}
	defer s.dropPen()
	return s.appendWithPen(ctx, a)
}

func (j *journal) appendWithPen(ctx context.Context, a addition) (string, error) {
	if err := j.writable(); err != nil {
		return "", err
	}
	if err := j.settle(ctx); err != nil {
		return "", err
	}
	for attempt := range attempts {
		if err := j.held(ctx); err != nil {
			return "", err
		}
		at, err := j.spotFor(a, attempt > 0)
		if err != nil {
			return "", err
		}
		_, now := j.timestamp()
		entry, err := a.build(format.Base{ID: at.id, ParentID: at.parentID, Timestamp: now}, at.parent)
		if err != nil {
			return "", err
		}
		err = j.put(ctx, entry, at)
		if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrGone) {
			if _, err := j.catchUp(ctx, ""); err != nil {
				return "", err
			}
			continue
		}
		if err != nil && !errors.Is(err, ErrNotDurable) {
			return "", j.wrap("append to", err)
		}
		return at.id, j.wrap("append to", err)
	}
	return "", j.wrap("append to", fmt.Errorf("%w: other processes wrote %d times in between; try again", store.ErrConflict, attempts))
}

// A spot is the place of a new entry.
type spot struct {
	id       string // id of the new entry
	parent   int
	parentID string
	stays    bool // the leaf does not move
	moves    int  // how often the caller had moved the leaf
}

// spotFor chooses the parent of an entry, given the changes by other writers.
// decided reports that an earlier attempt already chose one: if the entry no
// longer fits, another writer is the cause.
func (j *journal) spotFor(a addition, decided bool) (spot, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := spot{id: j.freeID(), parent: j.leaf, moves: j.moves}
	switch {
	case j.stale == nil:
	case a.describes:
		s.parent, s.stays = j.resumePoint(), true // as the last entry it becomes the leaf of every reader
	case j.opt.OnConflict == Refuse:
		return s, j.staleError()
	case j.opt.OnConflict == FollowNew && !j.moved: // an explicitly moved leaf is kept
		s.parent = j.resumePoint()
	}
	var err error
	if a.at != nil {
		s.parent, err = a.at()
	}
	if err == nil && a.fits != nil {
		err = a.fits(s.parent)
	}
	if err != nil && (decided || j.stale != nil) && !errors.Is(err, ErrNotEditable) {
		err = j.staleError()
	}
	s.parentID = j.idOf(s.parent)
	return s, err
}

// staleError returns a copy, because the session's own error continues to
// change. The caller must hold mu.
func (j *journal) staleError() error {
	if j.stale == nil { // only the entry that the addition refers to is gone
		return &StaleError{Path: j.file, Leaf: j.idOf(j.resumePoint())}
	}
	stale := *j.stale
	stale.Entries = slices.Clone(stale.Entries)
	return &stale
}

// onPath returns an error if an entry is not on the path to a parent. The
// caller must hold mu.
func (p *position) onPath(id string, parent int) error {
	i, err := p.find(id)
	if err == nil && (parent == tree.None || !p.tree.IsAncestor(i, parent)) {
		err = invalidf(ErrOffBranch, "entry", id, "entry %q is not on the active branch", id)
	}
	return err
}

// put writes one entry and, if that succeeds, adds it to the tree. On any error
// but ErrNotDurable, neither the file nor the session has changed (pitfall 26).
func (j *journal) put(ctx context.Context, entry format.Entry, at spot) error {
	line, err := encode(entry)
	if err != nil {
		return err
	}
	line = append(j.marked(line), '\n')
	if !jsonl.Valid(line) {
		return invalidf(ErrNotJSON, "entry", "", "the entry is not valid JSON; check its raw values")
	}
	e, head := envelope.Of(entry), entry.Head()
	e.Len = uint32(len(line) - 1)
	sync := j.draft == nil && j.migrated == nil // a created file is durable when it appears
	end, err := j.commit(ctx, &e, line)
	if err != nil {
		return err
	}
	if end < 0 { // a writer without locks interfered, or a torn line was sealed
		if err := j.takeInterleaved(ctx, at); err != nil {
			return fmt.Errorf("%w: %w", ErrNotDurable, err) // appending again would duplicate the entry
		}
		return j.makeDurable(ctx, sync)
	}
	j.mu.Lock()
	labels := len(j.table.Labels)
	j.table.Add(e, head.ID, head.ParentID, line[:len(line)-1], end)
	j.extend(labels)
	j.own = j.table.Len() - 1
	j.standAt(j.own, at)
	j.mu.Unlock()
	return j.makeDurable(ctx, sync)
}

// standAt moves the leaf to an appended entry, unless the entry is outside the
// conversation or the caller moved the leaf during the write.
func (p *position) standAt(i int, at spot) {
	if at.stays || at.moves != p.moves {
		return
	}
	// A name or a label does not continue the conversation: the place that the
	// caller chose still takes precedence over entries of other writers.
	p.leaf, p.moved, p.stale = i, p.moved && p.table.At(i).Annotates(), nil
}

// commit writes a line to the draft, the file or the log, sets the entry's
// offset and returns the new end. It returns -1 if the line was written but
// more than that has changed, so that the end of the file must be read.
func (j *journal) commit(ctx context.Context, e *envelope.Entry, line []byte) (int64, error) {
	if j.migrated != nil {
		e.Offset = j.migrated.Size()
		_, err := j.publishMigrated(ctx, line)
		if err == nil {
			err = j.checkOverwritten(ctx, e.Offset, line)
		}
		return e.Offset + int64(len(line)), err
	}
	if j.draft == nil {
		return j.commitToLog(ctx, e, line)
	}
	e.Offset = j.draft.size()
	if j.file != "" && (e.Conversation() || j.hasConversation()) {
		return e.Offset + int64(len(line)), j.create(ctx, store.Bytes(line))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, _ = j.draft.Write(line) // in memory; cannot fail
	return j.draft.size(), nil
}

func (j *journal) commitToLog(ctx context.Context, e *envelope.Entry, line []byte) (int64, error) {
	at := j.table.Size()
	seal := 0
	if j.table.Tail() != envelope.TailClean {
		line = append([]byte{'\n'}, line...) // ends an unterminated line (pitfalls 1, 2)
		seal = 1
	}
	off, err := j.log.Append(ctx, at, line)
	if err != nil {
		return 0, err
	}
	if off != at || j.table.Tail() == envelope.TailTorn {
		return -1, nil
	}
	e.Offset = at + int64(seal)
	return at + int64(len(line)), nil
}

// makeDurable implements Options.Sync for a store passed in Options. The
// default store syncs during the append.
func (j *journal) makeDurable(ctx context.Context, appended bool) error {
	if !appended || !j.opt.Sync || j.opt.Store == nil {
		return nil
	}
	if err := j.log.Sync(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

// publishMigrated replaces an old file with its migrated form and one more
// line, if the file has not changed since it was read (pitfall 167). It keeps
// the old file as a backup (pitfalls 33, 34).
func (j *journal) publishMigrated(ctx context.Context, line []byte) (backup string, err error) {
	fill := func(w io.Writer) error {
		if _, err := j.migrated.WriteTo(w); err != nil {
			return err
		}
		_, err := w.Write(line)
		return err
	}
	log, backup, err := store.ReplaceKeeping(ctx, j.store, j.log.Log, j.source, fill, j.file)
	if err != nil {
		return "", err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.keepFormer(j.log)
	j.log, j.migrated = newHandle(log), nil
	return backup, nil
}

func (j *journal) writable() error {
	switch {
	case j.closed:
		return j.wrap("append to", ErrClosed)
	case j.opt.ReadOnly:
		return j.wrap("append to", ErrReadOnly)
	case j.fromDatabase(j.table):
		return j.wrap("append to", fmt.Errorf("%w: it is in OpenClaw's database, which only OpenClaw writes to; continue in a fork of it", format.ErrTooNew))
	}
	return j.wrap("append to", cmp.Or(j.ofOhMyPi(), j.table.Header.CheckWritable()))
}

// ofOhMyPi returns an error if the file belongs to oh-my-pi. pith reads its
// sessions and continues them in copies elsewhere.
func (j *journal) ofOhMyPi() error {
	owner, _ := j.table.Signature.Owner(j.file)
	switch {
	case owner != format.OhMyPi:
		return nil
	case j.log == nil:
		return invalidf(ErrNoDir, "session directory", j.dir, "%s belongs to oh-my-pi, whose sessions pith only reads; choose another session directory", filepath.Dir(j.file))
	}
	return &format.ForeignError{Source: owner.String(), Session: j.table.Header.ID, Original: j.file}
}

// Writable returns the error of an append if the session cannot be appended to:
// it is closed, read-only, newer than this pith, or another program's.
func (s *Session) Writable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writable()
}

// migrate returns a log of an old version in the current version. It changes
// only the fields that migration concerns; everything between entries,
// including damaged lines, is copied unchanged.
func migrate(ctx context.Context, log io.ReaderAt, t *envelope.Table) (*patchedlog.Log, error) {
	e := editor{log: envelope.Until(ctx, log), out: patchedlog.New(log)}
	if t.HeaderAt == 3 { // only a byte order mark fits before it; pi refuses such a file
		e.at = t.HeaderAt
	}
	t.Migrate(func(at int64, length int, migrated func([]byte) []byte) {
		if at == e.at && at != t.HeaderAt { // several records on one line, which pi cannot read
			e.out.Put(newline)
		}
		e.change(at, length, migrated)
	})
	e.out.Keep(e.at, t.Size())
	if t.Tail() != envelope.TailClean {
		e.out.Put(newline) // so that it can be appended to
	}
	return e.out, e.err
}

// An editor copies a log and replaces some of its lines.
type editor struct {
	log  io.ReaderAt
	out  *patchedlog.Log
	at   int64 // the log is processed up to here
	line []byte
	err  error
}

func (e *editor) change(from int64, length int, f func([]byte) []byte) {
	if e.err != nil {
		return
	}
	e.out.Keep(e.at, from)
	e.line = slices.Grow(e.line[:0], length)[:length]
	if _, e.err = envelope.ReadFull(e.log, e.line, from); e.err != nil {
		return
	}
	e.out.Replace(from, e.line, f(e.line))
	e.at = from + int64(length)
}

// NeedsMigration reports whether the file is of an old version that the next
// append or Migrate will replace.
func (s *Session) NeedsMigration() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.migrated != nil
}

// Migrate replaces a file of an old version with its current form, and returns
// the name of the backup, or "" if there was nothing to do. It returns a
// *HeldError while the file's own program may have it open.
func (s *Session) Migrate(ctx context.Context) (backup string, err error) {
	if err := s.takePen(ctx); err != nil {
		return "", s.wrap("migrate", err)
	}
	defer s.dropPen()
	if err := s.writable(); err != nil {
		return "", err
	}
	for range attempts {
		if s.migrated == nil {
			return "", nil // or another process was faster
		}
		if err := s.held(ctx); err != nil {
			return "", err
		}
		backup, err = s.publishMigrated(ctx, nil)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrGone) {
			return backup, s.wrap("migrate", err)
		}
		if _, err := s.catchUp(ctx, ""); err != nil {
			return "", err
		}
	}
	return "", s.wrap("migrate", fmt.Errorf("%w: other processes wrote %d times in between; try again", store.ErrConflict, attempts))
}
