package pith

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/store"
)

// attempts bounds how often an append catches up with other writers before it
// gives in. Each attempt means that somebody else wrote in between.
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
func (s *Session) append(p purpose, build func(format.Base) (format.Entry, error)) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.appendLocked(p, s.atLeaf, build)
}

// atLeaf is the place where an entry goes unless it says otherwise.
func (s *Session) atLeaf() (int, error) { return s.leaf, nil }

// appendLocked does what append does, under the entry that at names. It is asked
// again after others' writes were read, because positions change then.
func (s *Session) appendLocked(p purpose, at func() (int, error), build func(format.Base) (format.Entry, error)) (string, error) {
	if err := s.writable(); err != nil {
		return "", err
	}
	if err := s.settle(); err != nil {
		return "", err
	}
	leaf, moved, beside := s.idOf(s.leaf), s.moved, false
	for range attempts {
		if err := s.held(); err != nil {
			return "", err
		}
		beside = p == describes && s.stale != nil
		parent, err := s.parentFor(p, at)
		if err != nil {
			return "", err
		}
		_, now := s.timestamp()
		base := format.Base{ID: s.freeID(), ParentID: s.idOf(parent), Timestamp: now}
		entry, err := build(base)
		if err != nil {
			return "", err
		}
		err = s.put(entry)
		if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrGone) {
			if err := s.catchUp(context.Background(), ""); err != nil {
				return "", err
			}
			continue
		}
		if err != nil && !errors.Is(err, ErrNotDurable) {
			return "", s.wrap("append to", err)
		}
		if beside {
			s.leaf, s.moved = s.tree.Find(leaf), moved // the caller has not decided to go elsewhere
		}
		return base.ID, s.wrap("append to", err)
	}
	return "", s.wrap("append to", fmt.Errorf("%w: others wrote %d times in between; try again", store.ErrConflict, attempts))
}

func (s *Session) freeID() string {
	return newEntryID(func(id string) bool { return s.tree.Find(id) != tree.None })
}

// parentFor decides under which entry to write, given what others have written.
func (s *Session) parentFor(p purpose, at func() (int, error)) (int, error) {
	if s.stale == nil {
		return at()
	}
	if p == describes {
		return s.resumePoint(), nil // where it hides nobody's history
	}
	switch s.opt.OnConflict {
	case FollowNew:
		s.stale = nil
		if !s.moved { // who has chosen a place goes on there
			s.leaf = s.resumePoint()
			return s.leaf, nil
		}
		return at()
	case StayOnBranch:
		s.stale = nil
		return at()
	}
	stale := *s.stale // the session's own goes on changing
	return 0, &stale
}

// put writes one entry and, when that succeeded, takes it into the tree. On an
// error neither the file nor the session has changed (pitfall 26).
func (s *Session) put(entry format.Entry) error {
	line := append(s.marked(format.AppendEntry(nil, entry)), '\n')
	if !jsonl.Valid(line) {
		return fmt.Errorf("%w: the entry is not valid JSON; look at the raw values in it", ErrInvalid)
	}
	e, head := envelope.Of(entry), entry.Head()
	e.Len = uint32(len(line) - 1)
	sync := s.draft == nil && s.migrated == nil // a file that is created is durable when it appears
	end, err := s.commit(&e, line)
	if err != nil {
		return err
	}
	if end < 0 { // a writer without locks came in between, or a torn line was sealed
		if err := s.takeInterleaved(head.ID); err != nil {
			return err
		}
		return s.makeDurable(sync)
	}
	labels := len(s.table.Labels)
	s.table.Add(e, head.ID, head.ParentID, line[:len(line)-1], end)
	s.extend(labels)
	// pith does not resume at a name or a label, so Close must still record it.
	s.leaf, s.moved = len(s.table.Entries)-1, s.moved && e.Annotates()
	s.own = s.leaf
	return s.makeDurable(sync)
}

// commit brings a line to where the session is kept, sets the entry's offset
// and returns the new end; -1 when the line was written but more has changed
// than that, and the end of the file must be read.
func (s *Session) commit(e *envelope.Entry, line []byte) (int64, error) {
	if s.migrated != nil {
		e.Offset = s.migrated.Size()
		_, err := s.publishMigrated(context.Background(), line)
		if err == nil {
			err = s.stands(e.Offset, line)
		}
		return e.Offset + int64(len(line)), err
	}
	if s.draft == nil {
		return s.commitToLog(e, line)
	}
	e.Offset = s.draft.size()
	if s.file != "" && (e.Conversation() || s.hasConversation()) {
		return s.publish(line)
	}
	_, _ = s.draft.Write(line) // memory; cannot fail
	return s.draft.size(), nil
}

func (s *Session) commitToLog(e *envelope.Entry, line []byte) (int64, error) {
	at := s.table.Size()
	seal := 0
	if s.table.Tail() != envelope.TailClean {
		line = append([]byte{'\n'}, line...) // ends the line that somebody left open (pitfalls 1, 2)
		seal = 1
	}
	off, err := s.log.Append(at, line)
	if err != nil {
		return 0, err
	}
	if off != at || s.table.Tail() == envelope.TailTorn {
		return -1, nil
	}
	e.Offset = at + int64(seal)
	return at + int64(len(line)), nil
}

// makeDurable keeps the promise of Options.Sync for a store that was given. The
// store that pith chooses itself keeps it while it appends.
func (s *Session) makeDurable(appended bool) error {
	if !appended || !s.opt.Sync || s.opt.Store == nil {
		return nil
	}
	if err := s.log.Sync(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

func (s *Session) hasConversation() bool {
	for i := range s.table.Entries {
		if s.table.Entries[i].Conversation() {
			return true
		}
	}
	return false
}

// publishMigrated replaces an old file by its migrated form and one more line, if
// the file is still the one that this was made of (pitfall 167). The old file
// stays beside it as a backup (pitfalls 33, 34).
func (s *Session) publishMigrated(ctx context.Context, line []byte) (backup string, err error) {
	fill := func(w io.Writer) error {
		if _, err := s.migrated.WriteTo(w); err != nil {
			return err
		}
		_, err := w.Write(line)
		return err
	}
	log, backup, err := store.ReplaceKeeping(s.store, s.log, s.source, until(ctx, fill), s.file)
	if err != nil {
		return "", err
	}
	s.keepFormer(s.log)
	s.log, s.migrated = log, nil
	return backup, nil
}

func (s *Session) writable() error {
	switch {
	case s.closed:
		return s.wrap("append to", ErrClosed)
	case s.opt.ReadOnly:
		return s.wrap("append to", ErrReadOnly)
	case s.fromDatabase():
		return s.wrap("append to", fmt.Errorf("%w: it stands in OpenClaw's database, which only OpenClaw writes to; go on in a fork of it", format.ErrTooNew))
	}
	return s.wrap("append to", s.table.Header.CheckWritable())
}
