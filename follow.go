package pith

import (
	"errors"
	"slices"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

// Refresh reads what others have appended since, and returns how many entries
// came. The leaf does not move: see Follow.
func (s *Session) Refresh() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, s.wrap("read", ErrClosed)
	}
	before := len(s.table.Entries)
	if err := s.catchUp(); err != nil {
		return 0, err
	}
	return max(0, len(s.table.Entries)-before), nil
}

// Follow moves the leaf to where the file's conversation stands now.
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
// conversation, the session is stale until the caller decides.
func (s *Session) catchUp() error {
	if s.log == nil {
		return nil
	}
	if s.draft != nil {
		return s.wrap("read", s.reload()) // an old file grew; migrate it anew
	}
	size, err := s.log.Size()
	if err != nil {
		return s.wrap("read", err)
	}
	entries, labels := len(s.table.Entries), len(s.table.Labels)
	err = s.table.Extend(s.log, size)
	if errors.Is(err, envelope.ErrRescan) {
		return s.reload()
	}
	if err != nil {
		return s.wrap("read", err)
	}
	s.extend(entries, labels)
	s.noteStale(entries)
	return nil
}

// noteStale remembers that others continued the conversation.
func (s *Session) noteStale(from int) {
	if !slices.ContainsFunc(s.table.Entries[from:], func(e envelope.Entry) bool { return !e.Bookkeeping() }) {
		return // names and labels hide nothing
	}
	if s.stale == nil {
		s.stale = &StaleError{Path: s.file}
	}
	for i := range s.table.Entries[from:] {
		s.stale.Entries = append(s.stale.Entries, s.table.Entries[from+i].ID)
	}
	s.stale.Leaf = s.idOf(s.resumePoint())
}

// takeInterleaved reads a stretch of the file that holds the own new entry and
// lines of a writer that takes no locks.
func (s *Session) takeInterleaved(own string) error {
	stale := s.stale
	if err := s.catchUp(); err != nil {
		return err
	}
	s.stale = stale
	if i := s.tree.Find(own); i != tree.None {
		s.leaf, s.moved = i, false
	}
	return nil
}
