package pith

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// Refresh reads what others have appended since, and returns how many entries
// came. The leaf does not move: see Follow.
func (s *Session) Refresh(ctx context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, s.wrap("read", ErrClosed)
	}
	before := len(s.table.Entries)
	if err := s.catchUp(ctx, ""); err != nil {
		return 0, err
	}
	return max(0, len(s.table.Entries)-before), nil
}

// Follow moves the leaf to where the file's conversation stood when it was last
// read: by Open, by Refresh, or by an append that was refused.
func (s *Session) Follow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaf, s.stale, s.moved = s.resumePoint(), nil, false
}

// Stay keeps the leaf although others have continued elsewhere: what is
// appended next begins a branch beside theirs.
func (s *Session) Stay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = nil
}

// catchUp reads what the file holds beyond the table. If others continued the
// conversation, the session is stale until the caller decides; the entry called
// own does not count.
func (s *Session) catchUp(ctx context.Context, own string) error {
	if s.log == nil {
		return nil
	}
	size, err := s.log.Size()
	if errors.Is(err, store.ErrGone) {
		return s.rejoin(ctx, own, err)
	}
	if err != nil {
		return s.wrap("read", err)
	}
	known := s.table.Size()
	if s.migrated != nil {
		known = s.source
	}
	if err := s.table.ReadSlot(s.log); err != nil {
		return s.wrap("read", err)
	}
	if size >= known {
		s.shrunkAt = time.Time{}
	} else if !s.settled(size) {
		return s.wrap("read", ErrRewriting)
	}
	if s.migrated != nil { // of an old version; migrate it anew if it changed
		if size == known {
			return nil
		}
		return s.reload(ctx, own)
	}
	entries, labels := len(s.table.Entries), len(s.table.Labels)
	err = s.table.Extend(envelope.Until(ctx, s.log), size)
	if errors.Is(err, envelope.ErrRescan) {
		return s.reload(ctx, own)
	}
	if err != nil {
		return s.wrap("read", err)
	}
	s.extend(labels)
	var came []int
	for i := entries; i < len(s.table.Entries); i++ {
		if s.table.ID(i) != own {
			came = append(came, i)
		}
	}
	s.noteStale(came)
	return nil
}

// rejoin goes on in the file that has taken the place of the session's own, if
// that is the same session: another process migrated it, or a tool rewrote it.
func (s *Session) rejoin(ctx context.Context, own string, gone error) error {
	log, err := s.store.Open(s.file)
	if err != nil {
		return s.wrap("read", gone)
	}
	if h, err := sessiondir.ReadHeader(log); err != nil || h.ID != s.table.Header.ID {
		_ = log.Close() // a stranger's file; only looked at
		return s.wrap("read", gone)
	}
	former := s.log
	s.log = log
	if err := s.reload(ctx, own); err != nil {
		_ = log.Close() // only read from; the error that counts is the first
		s.log = former
		return err
	}
	s.keepFormer(former)
	return nil
}

// keepFormer keeps a log that was replaced open for contexts that were taken
// before. Only the latest few: each holds a file open.
func (s *Session) keepFormer(log store.Log) {
	const most = 4
	s.former = append(s.former, log)
	if len(s.former) > most {
		_ = s.former[0].Close() // only read from
		s.former = s.former[1:]
	}
}

// settleTime is how long a file that became shorter must stay as it is before
// it is taken for whole.
const settleTime = 500 * time.Millisecond

// settled reports whether a file that became shorter has stayed so for a while.
// A program that rewrites a file in place cuts it first, and would write over
// what is appended before it has finished.
func (s *Session) settled(size int64) bool {
	now := s.opt.now()
	if s.shrunkTo != size || s.shrunkAt.IsZero() {
		s.shrunkTo, s.shrunkAt = size, now
		return false
	}
	return now.Sub(s.shrunkAt) >= settleTime
}

// noteStale remembers that others continued the conversation with entries that
// came.
func (s *Session) noteStale(came []int) {
	if !slices.ContainsFunc(came, func(i int) bool { return !s.table.Entries[i].Bookkeeping() }) {
		return // nobody continued the conversation
	}
	if s.stale == nil {
		s.stale = &StaleError{Path: s.file}
	}
	for _, i := range came {
		s.stale.Entries = append(s.stale.Entries, s.table.ID(i))
	}
	s.stale.Leaf = s.idOf(s.resumePoint())
}

// takeInterleaved reads a stretch of the file that holds the own new entry and
// what else changed: lines of a writer that takes no locks, a torn line sealed.
// The caller has not seen such lines when it appended, so they count as those
// of others do.
func (s *Session) takeInterleaved(own string) error {
	if err := s.catchUp(context.Background(), own); err != nil {
		return err
	}
	if i := s.tree.Find(own); i != tree.None {
		s.leaf, s.moved = i, s.moved && s.table.Entries[i].Annotates()
	}
	return nil
}
