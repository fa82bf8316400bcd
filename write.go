package pith

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
)

// attempts limits how often an append catches up with other writers before it
// fails. Each attempt means that another program wrote in between.
const attempts = 1000

var errBusy = fmt.Errorf("%w: other processes wrote %d times in between; try again", store.ErrConflict, attempts)

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

func (s *Session) appendWithPen(ctx context.Context, a addition) (string, error) {
	if err := s.writable(); err != nil {
		return "", err
	}
	if err := s.settle(ctx); err != nil {
		return "", err
	}
	for attempt := range attempts {
		if err := s.held(ctx); err != nil {
			return "", err
		}
		at, err := s.spotFor(a, attempt > 0)
		if err != nil {
			return "", err
		}
		_, now := s.timestamp()
		entry, err := a.build(format.Base{ID: at.id, ParentID: at.parentID, Timestamp: now}, at.parent)
		if err != nil {
			return "", err
		}
		err = s.put(ctx, entry, at)
		if errors.Is(err, journal.ErrChanged) {
			continue
		}
		if err != nil && !errors.Is(err, ErrNotDurable) {
			return "", s.wrap("append to", err)
		}
		return at.id, s.wrap("append to", err)
	}
	return "", s.wrap("append to", errBusy)
}

// settle waits until no program is rewriting the file.
func (s *Session) settle(ctx context.Context) error {
	next, err := s.journal.Settle(ctx)
	if err != nil {
		return s.wrap("append to", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.see(next, "")
	return nil
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
func (s *Session) spotFor(a addition, decided bool) (spot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := spot{id: s.freeID(), parent: s.leaf, moves: s.moves}
	switch {
	case s.stale == nil:
	case a.describes:
		at.parent, at.stays = s.seen.Resume(), true // as the last entry it becomes the leaf of every reader
	case s.opt.OnConflict == Refuse:
		return at, s.staleError()
	case s.opt.OnConflict == FollowNew && !s.moved: // an explicitly moved leaf is kept
		at.parent = s.seen.Resume()
	}
	var err error
	if a.at != nil {
		at.parent, err = a.at()
	}
	if err == nil && a.fits != nil {
		err = a.fits(at.parent)
	}
	if err != nil && (decided || s.stale != nil) && !errors.Is(err, ErrNotEditable) {
		err = s.staleError()
	}
	at.parentID = s.seen.ID(at.parent)
	return at, err
}

// put writes one entry and, if that succeeds, moves the leaf to it. On any error
// but ErrNotDurable, neither the file nor the leaf has changed (pitfall 26).
func (s *Session) put(ctx context.Context, entry format.Entry, at spot) error {
	line, err := encode(entry)
	if err != nil {
		return err
	}
	line = append(s.marked(line), '\n')
	if !jsonl.Valid(line) {
		return invalidf(ErrNotJSON, "entry", "", "the entry is not valid JSON; check its raw values")
	}
	next, err := s.write(ctx, line)
	if next == nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, journal.ErrChanged) {
		s.see(next, "")
		return err
	}
	if !at.stays {
		s.stale = nil // the caller or the policy has decided about earlier changes
	}
	if s.see(next, at.id) == 0 {
		s.check.own = next.Len() - 1
	}
	if i := next.Find(at.id); i != journal.None && !at.stays && at.moves == s.moves {
		// A name or a label does not continue the conversation: the place that the
		// caller chose still takes precedence over entries of other writers.
		s.leaf, s.moved = i, s.moved && next.Entries[i].Annotates()
	}
	return err
}

// write appends a line to the journal. The first message creates the file.
func (s *Session) write(ctx context.Context, line []byte) (*journal.State, error) {
	m := journal.MessageOf(line)
	if s.written || s.file == "" || !m.Conversation() && !s.seen.HasConversation() {
		return s.journal.Append(ctx, s.seen, line)
	}
	return s.create(ctx, store.Bytes(line))
}

func (s *Session) writable() error {
	switch {
	case s.closed:
		return s.wrap("append to", ErrClosed)
	case s.opt.ReadOnly:
		return s.wrap("append to", ErrReadOnly)
	case fromDatabase(s.seen, s.file):
		return s.wrap("append to", errInDatabase)
	}
	return s.wrap("append to", cmp.Or(ofOhMyPi(s.seen, s.file, s.written), s.seen.Header.CheckWritable()))
}

// Writable returns the error of an append of entries of some types if the
// session cannot be appended to: it is closed, read-only, newer than this pith,
// or another program's, or its program would ignore a compaction with a summary.
// So a caller need not pay a model first.
func (s *Session) Writable(types ...format.Type) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(types, format.TypeCompaction) {
		if err := s.view().summaryRefused(); err != nil {
			return err
		}
	}
	return s.writable()
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
		if s.seen.Old == nil {
			return "", nil // or another process was faster
		}
		if err := s.held(ctx); err != nil {
			return "", err
		}
		backup, err := s.journal.Migrate(ctx)
		s.mu.Lock()
		s.see(s.journal.Current(), "")
		s.mu.Unlock()
		if !errors.Is(err, journal.ErrChanged) {
			return backup, s.wrap("migrate", err)
		}
	}
	return "", s.wrap("migrate", errBusy)
}

// summaryRefused returns an error that matches ErrNotStored if the session's
// program would ignore a summary.
func (v *View) summaryRefused() error {
	if v.program() == format.Atomic {
		return invalidf(ErrNotStored, "compaction", "", "this is an Atomic session; Atomic ignores summaries and supports only line compactions")
	}
	return nil
}
