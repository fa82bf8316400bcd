package pith

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/patchedlog"
	"github.com/pith-sessions/pith/store"
)

// attempts bounds how often an append catches up with other writers before it
// fails. Each attempt means that somebody else wrote in between.
const attempts = 1000

// purpose says what an entry is to the conversation.
type purpose uint8

const (
	// continues the conversation: others' work must not be hidden by it.
	continues purpose = iota
	// describes the session: a name, a label. It never waits for a decision.
	describes
)

// append makes an entry under the leaf, writes it and moves the leaf to it.
// build gets the entry's base and must not keep it.
func (s *Session) append(ctx context.Context, p purpose, build func(format.Base) (format.Entry, error)) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.appendLocked(ctx, p, s.atLeaf, build)
}

// appendLocked does what append does, under the entry that at names. It is asked
// again after others' writes were read, because positions change then.
func (j *journal) appendLocked(ctx context.Context, p purpose, at func() (int, error), build func(format.Base) (format.Entry, error)) (string, error) {
	if err := j.writable(); err != nil {
		return "", err
	}
	if err := j.settle(ctx); err != nil {
		return "", err
	}
	leaf, moved, beside := j.idOf(j.leaf), j.moved, false
	for range attempts {
		if err := j.held(ctx); err != nil {
			return "", err
		}
		beside = p == describes && j.stale != nil
		parent, err := j.parentFor(p, at)
		if err != nil {
			return "", err
		}
		_, now := j.timestamp()
		base := format.Base{ID: j.freeID(), ParentID: j.idOf(parent), Timestamp: now}
		entry, err := build(base)
		if err != nil {
			return "", err
		}
		err = j.put(ctx, entry)
		if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrGone) {
			if err := j.catchUp(ctx, ""); err != nil {
				return "", err
			}
			continue
		}
		if err != nil && !errors.Is(err, ErrNotDurable) {
			return "", j.wrap("append to", err)
		}
		if beside {
			j.leaf, j.moved = j.tree.Find(leaf), moved // the caller has not decided to go elsewhere
		}
		return base.ID, j.wrap("append to", err)
	}
	return "", j.wrap("append to", fmt.Errorf("%w: others wrote %d times in between; try again", store.ErrConflict, attempts))
}

// parentFor decides under which entry to write, given what others have written.
func (j *journal) parentFor(p purpose, at func() (int, error)) (int, error) {
	if j.stale == nil {
		return at()
	}
	if p == describes {
		return j.resumePoint(), nil // where it hides nobody's history
	}
	switch j.opt.OnConflict {
	case FollowNew:
		j.stale = nil
		if !j.moved { // who has chosen a place goes on there
			j.leaf = j.resumePoint()
			return j.leaf, nil
		}
		return at()
	case StayOnBranch:
		j.stale = nil
		return at()
	}
	stale := *j.stale // the session's own goes on changing
	return 0, &stale
}

// put writes one entry and, when that succeeded, takes it into the tree. On any
// error but ErrNotDurable neither the file nor the session has changed (pitfall 26).
func (j *journal) put(ctx context.Context, entry format.Entry) error {
	line := append(j.marked(format.AppendEntry(nil, entry)), '\n')
	if !jsonl.Valid(line) {
		return invalidf(ErrNotJSON, "entry", "", "the entry is not valid JSON; look at the raw values in it")
	}
	e, head := envelope.Of(entry), entry.Head()
	e.Len = uint32(len(line) - 1)
	sync := j.draft == nil && j.migrated == nil // a file that is created is durable when it appears
	end, err := j.commit(ctx, &e, line)
	if err != nil {
		return err
	}
	if end < 0 { // a writer without locks came in between, or a torn line was sealed
		if err := j.takeInterleaved(ctx, head.ID); err != nil {
			return fmt.Errorf("%w: %w", ErrNotDurable, err) // who appends it again would have it twice
		}
		return j.makeDurable(ctx, sync)
	}
	labels := len(j.table.Labels)
	j.table.Add(e, head.ID, head.ParentID, line[:len(line)-1], end)
	j.extend(labels)
	// pith does not resume at a name or a label, so Close must still record it.
	j.leaf, j.moved = len(j.table.Entries)-1, j.moved && e.Annotates()
	j.own = j.leaf
	return j.makeDurable(ctx, sync)
}

// commit brings a line to where the session is kept, sets the entry's offset
// and returns the new end; -1 when the line was written but more has changed
// than that, and the end of the file must be read.
func (j *journal) commit(ctx context.Context, e *envelope.Entry, line []byte) (int64, error) {
	if j.migrated != nil {
		e.Offset = j.migrated.Size()
		_, err := j.publishMigrated(ctx, line)
		if err == nil {
			err = j.stands(ctx, e.Offset, line)
		}
		return e.Offset + int64(len(line)), err
	}
	if j.draft == nil {
		return j.commitToLog(ctx, e, line)
	}
	e.Offset = j.draft.size()
	if j.file != "" && (e.Conversation() || j.hasConversation()) {
		return j.publish(ctx, line)
	}
	_, _ = j.draft.Write(line) // memory; cannot fail
	return j.draft.size(), nil
}

func (j *journal) commitToLog(ctx context.Context, e *envelope.Entry, line []byte) (int64, error) {
	at := j.table.Size()
	seal := 0
	if j.table.Tail() != envelope.TailClean {
		line = append([]byte{'\n'}, line...) // ends the line that somebody left open (pitfalls 1, 2)
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

// makeDurable keeps the promise of Options.Sync for a store that was given. The
// store that pith chooses itself keeps it while it appends.
func (j *journal) makeDurable(ctx context.Context, appended bool) error {
	if !appended || !j.opt.Sync || j.opt.Store == nil {
		return nil
	}
	if err := j.log.Sync(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

// publishMigrated replaces an old file by its migrated form and one more line, if
// the file is still the one that this was made of (pitfall 167). The old file
// stays beside it as a backup (pitfalls 33, 34).
func (j *journal) publishMigrated(ctx context.Context, line []byte) (backup string, err error) {
	fill := func(w io.Writer) error {
		if _, err := j.migrated.WriteTo(w); err != nil {
			return err
		}
		_, err := w.Write(line)
		return err
	}
	log, backup, err := store.ReplaceKeeping(ctx, j.store, j.log, j.source, fill, j.file)
	if err != nil {
		return "", err
	}
	j.keepFormer(j.log)
	j.log, j.migrated = log, nil
	return backup, nil
}

func (j *journal) writable() error {
	switch {
	case j.closed:
		return j.wrap("append to", ErrClosed)
	case j.opt.ReadOnly:
		return j.wrap("append to", ErrReadOnly)
	case j.fromDatabase():
		return j.wrap("append to", fmt.Errorf("%w: it stands in OpenClaw's database, which only OpenClaw writes to; go on in a fork of it", format.ErrTooNew))
	}
	return j.wrap("append to", j.table.Header.CheckWritable())
}

// migrate is a log of an old version in the present one. Only the members that
// migration is about change; everything between entries, damaged lines
// included, is carried over as it is.
func migrate(ctx context.Context, log io.ReaderAt, t *envelope.Table) (*patchedlog.Log, error) {
	e := editor{log: envelope.Until(ctx, log), out: patchedlog.New(log)}
	if t.HeaderAt == 3 { // nothing but a byte order mark fits before it; pi refuses such a file
		e.at = t.HeaderAt
	}
	t.Migrate(func(at int64, length int, migrated func([]byte) []byte) {
		if at == e.at && at != t.HeaderAt { // records on one line, which pi cannot read
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

// An editor goes through a log and changes lines of it on the way.
type editor struct {
	log  io.ReaderAt
	out  *patchedlog.Log
	at   int64 // what lies before it in the log is done
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
// append, or Migrate, will replace.
func (s *Session) NeedsMigration() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.migrated != nil
}

// Migrate replaces a file of an old version by its present form now, and
// returns the name under which the old file is kept; "" if there was nothing to do.
// The error is a *HeldError while the file's own program may have it open.
func (s *Session) Migrate(ctx context.Context) (backup string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
		if err := s.catchUp(ctx, ""); err != nil {
			return "", err
		}
	}
	return "", s.wrap("migrate", fmt.Errorf("%w: others wrote %d times in between; try again", store.ErrConflict, attempts))
}
