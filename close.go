package pith

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// Close releases the session. If the leaf moved since the last append, Close
// first records its position in one hidden custom entry, so that every reader
// resumes there. It records nothing if other programs have written or have the
// session open, or if the session has no file. Close waits at most one second
// for another writer; if it cannot record the position, it returns the error
// and the session is closed anyway.
func (s *Session) Close() error {
	s.pen <- struct{}{}
	defer s.dropPen()
	if s.closed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := s.recordLeaf(ctx)
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return cmp.Or(err, s.journal.Close())
}

// closeTime is how long Close waits for a store to record the leaf.
const closeTime = time.Second

// recordLeaf writes the leaf marker that Close documents.
func (s *Session) recordLeaf(ctx context.Context) error {
	if !s.written || s.writable() != nil {
		return nil
	}
	s.mu.Lock()
	moved := s.moved && s.stale == nil && s.leaf != s.seen.Resume()
	at := spot{id: s.freeID(), parentID: s.seen.ID(s.leaf), moves: s.moves}
	s.mu.Unlock()
	if !moved || s.held(ctx) != nil {
		return nil
	}
	_, now := s.timestamp()
	err := s.put(ctx, &format.Custom{
		Base:       format.Base{ID: at.id, ParentID: at.parentID, Timestamp: now},
		CustomType: format.LeafCustomType, Data: format.LeafData(at.parentID),
	}, at)
	if errors.Is(err, journal.ErrChanged) {
		return nil // others wrote, and their leaf takes precedence
	}
	return s.wrap("record the position in", err)
}
